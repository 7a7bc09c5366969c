/* A compressor in the manner of bzip2: blocks are sorted (Burrows and Wheeler), moved to front, and Huffman-coded, by two
 * threads that take blocks in turn. What it writes is measured, not kept. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 200000, SYMBOLS = 258, END = 257 };

struct block {
    unsigned char *text;
    int length;
    unsigned *order, *count;
    unsigned short *symbols;
    long bits;
};

static unsigned char *input;
static long input_length, next_block;
static long total_bits;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Whether the rotation at a comes before the one at b; both agree in their first two bytes. */
static int is_before(const struct block *block, unsigned a, unsigned b) {
    const unsigned char *text = block->text;
    unsigned length = (unsigned)block->length;
    for (unsigned step = 0; a != b && step < length; step++) {
        if (text[a] != text[b]) return text[a] < text[b];
        if (++a == length) a = 0;
        if (++b == length) b = 0;
    }
    return 0;
}

static void sort_range(const struct block *block, unsigned *low, unsigned *high) {
    while (high - low > 12) {
        unsigned pivot = low[(high - low) / 2], *left = low, *right = high - 1;
        while (left <= right) {
            while (is_before(block, *left, pivot)) left++;
            while (is_before(block, pivot, *right)) right--;
            if (left <= right) {
                unsigned other = *left;
                *left++ = *right;
                *right-- = other;
            }
        }
        if (right + 1 - low < high - left) {
            sort_range(block, low, right + 1);
            low = left;
        } else {
            sort_range(block, left, high);
            high = right + 1;
        }
    }
    for (unsigned *at = low + 1; at < high; at++) {
        unsigned item = *at, *hole = at;
        for (; hole > low && is_before(block, item, hole[-1]); hole--) *hole = hole[-1];
        *hole = item;
    }
}

static void sort_rotations(struct block *block) {
    unsigned *count = block->count, length = (unsigned)block->length;
    memset(count, 0, 65537 * sizeof *count);
    unsigned pair = (unsigned)block->text[0] << 8;
    for (unsigned i = length; i-- > 0;) {
        pair = pair >> 8 | (unsigned)block->text[i] << 8;
        count[pair + 1]++;
    }
    for (unsigned i = 0; i < 65536; i++) count[i + 1] += count[i];
    for (unsigned i = 0; i < length; i++) {
        pair = (unsigned)block->text[i] << 8 | block->text[i + 1 == length ? 0 : i + 1];
        block->order[count[pair]++] = i;
    }
    for (unsigned i = 0; i < 65536; i++) {
        unsigned first = i == 0 ? 0 : count[i - 1];
        if (count[i] > first + 1) sort_range(block, block->order + first, block->order + count[i]);
    }
}

/* Moves to front; runs of zeros are written as their length in binary with the digits 0 and 1. */
static int move_to_front(struct block *block, unsigned *frequency) {
    unsigned char recent[256];
    int written = 0;
    unsigned zeros = 0;
    for (int i = 0; i < 256; i++) recent[i] = (unsigned char)i;
    memset(frequency, 0, SYMBOLS * sizeof *frequency);
    for (int i = 0; i <= block->length; i++) {
        unsigned at = i == 0 ? 0 : block->order[i - 1];
        unsigned char byte = block->text[at == 0 ? block->length - 1 : at - 1];
        if (i > 0 && recent[0] == byte) {
            zeros++;
            continue;
        }
        for (; zeros > 0; zeros = (zeros - 1) / 2) {
            unsigned short digit = zeros & 1 ? 0 : 1;
            block->symbols[written++] = digit;
            frequency[digit]++;
        }
        unsigned char held = recent[0];
        int place = 0;
        while (held != byte) {
            unsigned char next = recent[++place];
            recent[place] = held;
            held = next;
        }
        recent[0] = byte;
        unsigned short symbol = (unsigned short)(place + 1);
        block->symbols[written++] = symbol;
        frequency[symbol]++;
    }
    frequency[END]++;
    block->symbols[written++] = END;
    return written;
}

static void code_lengths(const unsigned *frequency, unsigned char *lengths) {
    unsigned long weight[2 * SYMBOLS];
    int parent[2 * SYMBOLS], nodes = SYMBOLS;
    for (int i = 0; i < SYMBOLS; i++) {
        weight[i] = frequency[i] + 1;
        parent[i] = -1;
    }
    while (nodes < 2 * SYMBOLS - 1) {
        int least = -1, second = -1;
        for (int i = 0; i < nodes; i++) {
            if (parent[i] >= 0) continue;
            if (least < 0 || weight[i] < weight[least]) {
                second = least;
                least = i;
            } else if (second < 0 || weight[i] < weight[second]) {
                second = i;
            }
        }
        weight[nodes] = weight[least] + weight[second];
        parent[nodes] = -1;
        parent[least] = parent[second] = nodes++;
    }
    for (int i = 0; i < SYMBOLS; i++) {
        lengths[i] = 0;
        for (int node = i; parent[node] >= 0; node = parent[node]) lengths[i]++;
    }
}

static void compress_block(struct block *block) {
    unsigned frequency[SYMBOLS];
    unsigned char lengths[SYMBOLS];
    sort_rotations(block);
    int count = move_to_front(block, frequency);
    code_lengths(frequency, lengths);
    block->bits = 0;
    for (int i = 0; i < count; i++) block->bits += lengths[block->symbols[i]];
}

static void *worker(void *unused) {
    struct block block = {.order = malloc(BLOCK * sizeof(unsigned)), .count = malloc(65537 * sizeof(unsigned)),
                          .symbols = malloc((2 * BLOCK + 2) * sizeof(unsigned short))};
    for (;;) {
        pthread_mutex_lock(&mutex);
        long start = next_block++ * BLOCK;
        pthread_mutex_unlock(&mutex);
        if (start >= input_length) break;
        block.text = input + start;
        block.length = (int)(input_length - start < BLOCK ? input_length - start : BLOCK);
        compress_block(&block);
        pthread_mutex_lock(&mutex);
        total_bits += block.bits;
        pthread_mutex_unlock(&mutex);
    }
    free(block.order);
    free(block.count);
    free(block.symbols);
    return unused;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    FILE *file = fopen(arguments[1], "rb");
    if (file == NULL) return 2;
    fseek(file, 0, SEEK_END);
    input_length = ftell(file);
    rewind(file);
    input = malloc((size_t)input_length + 1);
    if (fread(input, 1, (size_t)input_length, file) != (size_t)input_length) return 2;
    fclose(file);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%ld bytes\n", total_bits / 8);
    return 0;
}
