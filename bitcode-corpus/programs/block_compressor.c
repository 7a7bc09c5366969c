// Parallel block compressor.
//
//   block_compressor IN OUT [CONSUMERS [BLOCK_BYTES]]     compress
//   block_compressor -d IN OUT                            decompress
//
// The main thread reads IN in blocks and puts them into a bounded queue,
// consumers compress blocks, a writer writes them to OUT in order, and at the end
// the main thread unpacks OUT again to see that it gives IN. The codec is LZ77:
// literals and references to earlier text found through a hash table. Numbers in the
// archive are in the machine's byte order.
//
// The bug, after pbzip2 0.9.4 (CLAP, section 6; Tinertia, Fig. 7): the main
// thread waits for the writer but not for the consumers. Once the last block is
// written it destroys the queue's mutex, frees it and sets the pointer to null,
// while a consumer may still be about to look for more work: it then locks
// through the null pointer, a segmentation fault. Built with -DFIXED, the main
// thread joins the consumers first.
//
// The `//~` annotation below describes the build without -DFIXED and the failure
// described here; a consumer that is still asleep in pthread_cond_wait when the
// mutex goes away meets the same bug there or when it unlocks. The build with
// -DFIXED has no error in any schedule.
//
//   clang -O1 -g -pthread block_compressor.c -o block_compressor
//   ./block_compressor input/ledger.txt ledger.lz 2 1024

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CONSUMERS = 8,
    QUEUE_CAPACITY = 4,
    MAX_BLOCK = 32768,
    HASH_SLOTS = 256,
    MIN_MATCH = 4,
    MAX_MATCH = MIN_MATCH + 127,
    MAX_LITERALS = 128,
};

static const char MAGIC[4] = {'L', 'Z', 'B', '1'};

// Bytes owned by whoever holds the block.
struct block {
    unsigned char *bytes;
    int length;
    int index;
};

// A ring of blocks from the main thread to the consumers. The mutex lives on the
// heap, as in pbzip2, and goes with the queue.
struct queue {
    pthread_mutex_t *mutex;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct block blocks[QUEUE_CAPACITY];
    int first;
    int used;
    bool closed;
};

// Compressed blocks on their way to the writer, by index.
struct results {
    pthread_mutex_t mutex;
    pthread_cond_t ready;
    struct block *blocks;
    int count;
};

struct compressor {
    struct queue queue;
    struct results results;
    FILE *output;
};

struct consumer {
    struct compressor *compressor;
    int number;
    int blocks;
    unsigned checksum;
};

static void fail(const char *message, const char *name) {
    fprintf(stderr, "block_compressor: %s %s\n", message, name);
    exit(2);
}

static void *allocate(size_t size) {
    void *memory = calloc(size, 1);
    if (memory == NULL)
        fail("out of", "memory");
    return memory;
}

// The longest that a block of `length` bytes can become.
static int packed_room(int length) {
    return length + length / MAX_LITERALS + 1;
}

// ---- The codec. A packed block is a sequence of
//   n     0..127: n + 1 literal bytes follow
//   128+n 0..127: copy n + MIN_MATCH bytes from a distance of two bytes, low first

static int hash_at(const unsigned char *bytes) {
    unsigned key = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
    return key * 2654435761u >> 24;
}

static int pack_literals(const unsigned char *from, int count, unsigned char *to) {
    int written = 0;
    while (count > 0) {
        int run = count < MAX_LITERALS ? count : MAX_LITERALS;
        to[written++] = run - 1;
        memcpy(to + written, from, run);
        written += run;
        from += run;
        count -= run;
    }
    return written;
}

// Writes at most packed_room(length) bytes: a reference is shorter than its match by
// at least the code byte that the literals before it cost.
static int pack(const unsigned char *from, int length, unsigned char *to) {
    int last_seen[HASH_SLOTS];
    for (int i = 0; i < HASH_SLOTS; i++)
        last_seen[i] = -1;
    int written = 0;
    int literals = 0;
    int at = 0;
    while (at + MIN_MATCH <= length) {
        int slot = hash_at(from + at);
        int earlier = last_seen[slot];
        last_seen[slot] = at;
        int match = 0;
        while (earlier >= 0 && match < MAX_MATCH && at + match < length &&
               from[earlier + match] == from[at + match])
            match++;
        if (match < MIN_MATCH) {
            at++;
            continue;
        }
        written += pack_literals(from + literals, at - literals, to + written);
        to[written++] = 128 + match - MIN_MATCH;
        to[written++] = (at - earlier) & 255;
        to[written++] = (at - earlier) >> 8;
        at += match;
        literals = at;
    }
    return written + pack_literals(from + literals, length - literals, to + written);
}

// The unpacked length, or -1 when the packed bytes are not what `pack` makes.
static int unpack(const unsigned char *from, int length, unsigned char *to, int room) {
    int written = 0;
    int at = 0;
    while (at < length) {
        int code = from[at++];
        if (code < 128) {
            int run = code + 1;
            if (at + run > length || written + run > room)
                return -1;
            memcpy(to + written, from + at, run);
            at += run;
            written += run;
        } else {
            if (at + 2 > length)
                return -1;
            int match = code - 128 + MIN_MATCH;
            int distance = from[at] | from[at + 1] << 8;
            at += 2;
            if (distance == 0 || distance > written || written + match > room)
                return -1;
            for (int i = 0; i < match; i++, written++)
                to[written] = to[written - distance];
        }
    }
    return written;
}

static unsigned checksum(const unsigned char *bytes, int length) {
    unsigned low = 1;
    unsigned high = 0;
    for (int i = 0; i < length; i++) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

// ---- The queue

static void queue_create(struct queue *queue) {
    queue->mutex = allocate(sizeof *queue->mutex);
    pthread_mutex_init(queue->mutex, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
}

static void queue_delete(struct queue *queue) {
    pthread_mutex_destroy(queue->mutex);
    free(queue->mutex);
    queue->mutex = NULL;
}

static void put(struct queue *queue, struct block block) {
    pthread_mutex_lock(queue->mutex);
    while (queue->used == QUEUE_CAPACITY)
        pthread_cond_wait(&queue->not_full, queue->mutex);
    queue->blocks[(queue->first + queue->used) % QUEUE_CAPACITY] = block;
    queue->used++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(queue->mutex);
}

static void close_queue(struct queue *queue) {
    pthread_mutex_lock(queue->mutex);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(queue->mutex);
}

// False when the queue is empty and closed.
static bool get(struct queue *queue, struct block *block) {
    pthread_mutex_lock(queue->mutex); //~ ERROR: null pointer dereference
    while (queue->used == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, queue->mutex);
    bool found = queue->used > 0;
    if (found) {
        *block = queue->blocks[queue->first];
        queue->first = (queue->first + 1) % QUEUE_CAPACITY;
        queue->used--;
        pthread_cond_signal(&queue->not_full);
    }
    pthread_mutex_unlock(queue->mutex);
    return found;
}

// ---- The threads

static void publish(struct results *results, struct block packed) {
    pthread_mutex_lock(&results->mutex);
    results->blocks[packed.index] = packed;
    pthread_cond_signal(&results->ready);
    pthread_mutex_unlock(&results->mutex);
}

static void *consume(void *argument) {
    struct consumer *consumer = argument;
    struct compressor *compressor = consumer->compressor;
    struct block block;
    while (get(&compressor->queue, &block)) {
        struct block packed = {.index = block.index};
        packed.bytes = allocate(packed_room(block.length));
        packed.length = pack(block.bytes, block.length, packed.bytes);
        // The writer gets its block first; the books are kept afterwards.
        publish(&compressor->results, packed);
        consumer->checksum ^= checksum(block.bytes, block.length);
        consumer->blocks++;
        free(block.bytes);
    }
    fprintf(stderr, "consumer %d: %d blocks, checksum %08x\n", consumer->number, consumer->blocks,
            consumer->checksum);
    return NULL;
}

static void *write_blocks(void *argument) {
    struct compressor *compressor = argument;
    struct results *results = &compressor->results;
    for (int i = 0; i < results->count; i++) {
        pthread_mutex_lock(&results->mutex);
        while (results->blocks[i].bytes == NULL)
            pthread_cond_wait(&results->ready, &results->mutex);
        struct block packed = results->blocks[i];
        pthread_mutex_unlock(&results->mutex);
        fwrite(&packed.length, sizeof packed.length, 1, compressor->output);
        fwrite(packed.bytes, 1, packed.length, compressor->output);
        free(packed.bytes);
    }
    return NULL;
}

// ---- Files

static FILE *open_file(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (file == NULL)
        fail("cannot open", name);
    return file;
}

static void close_output(FILE *file, const char *name) {
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        fail("cannot write", name);
}

static long size_of(FILE *file) {
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    return size;
}

static int read_number(FILE *archive, const char *name) {
    int number;
    if (fread(&number, sizeof number, 1, archive) != 1 || number < 0)
        fail("archive is damaged:", name);
    return number;
}

// Unpacks the archive `name` block by block: into `copy` when it is not null,
// and comparing with `original` when that is not null.
static void read_archive(const char *name, FILE *copy, FILE *original) {
    FILE *archive = open_file(name, "rb");
    char magic[sizeof MAGIC];
    if (fread(magic, 1, sizeof magic, archive) != sizeof magic ||
        memcmp(magic, MAGIC, sizeof magic) != 0)
        fail("not an archive:", name);
    int count = read_number(archive, name);
    unsigned char *packed = allocate(packed_room(MAX_BLOCK));
    unsigned char *bytes = allocate(MAX_BLOCK);
    unsigned char *expected = allocate(MAX_BLOCK);
    for (int i = 0; i < count; i++) {
        int packed_length = read_number(archive, name);
        if (packed_length > packed_room(MAX_BLOCK) ||
            fread(packed, 1, packed_length, archive) != (size_t)packed_length)
            fail("archive ends early:", name);
        int length = unpack(packed, packed_length, bytes, MAX_BLOCK);
        if (length < 0)
            fail("archive is damaged:", name);
        if (copy != NULL)
            fwrite(bytes, 1, length, copy);
        if (original != NULL && (fread(expected, 1, length, original) != (size_t)length ||
                                 memcmp(bytes, expected, length) != 0))
            fail("archive differs from the input:", name);
    }
    free(expected);
    free(bytes);
    free(packed);
    fclose(archive);
}

static void compress(const char *input_name, const char *output_name, int consumers,
                     int block_bytes) {
    static struct compressor compressor;
    FILE *input = open_file(input_name, "rb");
    long input_size = size_of(input);
    int count = (input_size + block_bytes - 1) / block_bytes;

    compressor.output = open_file(output_name, "wb");
    fwrite(MAGIC, 1, sizeof MAGIC, compressor.output);
    fwrite(&count, sizeof count, 1, compressor.output);
    queue_create(&compressor.queue);
    pthread_mutex_init(&compressor.results.mutex, NULL);
    pthread_cond_init(&compressor.results.ready, NULL);
    compressor.results.blocks = allocate((count + 1) * sizeof(struct block));
    compressor.results.count = count;

    static struct consumer consumer[MAX_CONSUMERS];
    pthread_t consumer_thread[MAX_CONSUMERS];
    pthread_t writer_thread;
    pthread_create(&writer_thread, NULL, write_blocks, &compressor);
    for (int i = 0; i < consumers; i++) {
        consumer[i] = (struct consumer){.compressor = &compressor, .number = i};
        pthread_create(&consumer_thread[i], NULL, consume, &consumer[i]);
    }

    for (int i = 0; i < count; i++) {
        struct block block = {allocate(block_bytes), 0, i};
        block.length = fread(block.bytes, 1, block_bytes, input);
        put(&compressor.queue, block);
    }
    close_queue(&compressor.queue);
    pthread_join(writer_thread, NULL);
#ifdef FIXED
    for (int i = 0; i < consumers; i++)
        pthread_join(consumer_thread[i], NULL);
#endif
    queue_delete(&compressor.queue);

    long output_size = ftell(compressor.output);
    close_output(compressor.output, output_name);
    free(compressor.results.blocks);
    rewind(input);
    read_archive(output_name, NULL, input);
    fclose(input);
    printf("%ld bytes in %d blocks, compressed to %ld bytes\n", input_size, count, output_size);
}

static void decompress(const char *input_name, const char *output_name) {
    FILE *output = open_file(output_name, "wb");
    read_archive(input_name, output, NULL);
    close_output(output, output_name);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "-d") == 0) {
        decompress(argv[2], argv[3]);
        return 0;
    }
    int consumers = argc > 3 ? atoi(argv[3]) : 2;
    int block_bytes = argc > 4 ? atoi(argv[4]) : 1024;
    if (argc < 3 || argc > 5 || consumers < 1 || consumers > MAX_CONSUMERS || block_bytes < 1 ||
        block_bytes > MAX_BLOCK)
        fail("usage:", "block_compressor [-d] IN OUT [CONSUMERS [BLOCK_BYTES]]");
    compress(argv[1], argv[2], consumers, block_bytes);
    return 0;
}
