// Word counter with a bounded buffer between the threads that read a file and
// the threads that count.
//
//   bounded_buffer FILE [PRODUCERS [CONSUMERS [CAPACITY]]]
//
// Every producer reads FILE line by line and puts its share of the lines into
// the buffer; every consumer takes lines and counts lines, words and bytes. The
// totals do not depend on the schedule.
//
// The bug, after bbuf of CLAP (PLDI'13, section 6) and Symbiosis (TOSEM'16,
// Fig. 6): a consumer checks that the buffer holds a line in one critical
// section and takes the line in another. With two or more consumers somebody
// else may take the last line in between; the second consumer then takes from
// an empty buffer and the assertion in `take` fails. Built with -DFIXED, check
// and take share one critical section.
//
// The `//~` annotation below describes the build without -DFIXED; the build
// with -DFIXED has no error in any schedule.
//
//   clang -O1 -g -pthread bounded_buffer.c -o bounded_buffer
//   ./bounded_buffer input/harbour.txt 1 2 2

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 8, MAX_CAPACITY = 64, MAX_LINE = 512 };

// A ring of lines. `used` lines are held, the oldest at `first`.
struct buffer {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    char *lines[MAX_CAPACITY];
    int capacity;
    int first;
    int used;
    int open_producers;
};

struct producer {
    struct buffer *buffer;
    const char *path;
    int index;
    int stride;
    bool failed;
};

struct consumer {
    struct buffer *buffer;
    unsigned long lines;
    unsigned long words;
    unsigned long bytes;
    unsigned long checksum;
};

static void put(struct buffer *buffer, char *line) {
    pthread_mutex_lock(&buffer->mutex);
    while (buffer->used == buffer->capacity)
        pthread_cond_wait(&buffer->not_full, &buffer->mutex);
    int last = (buffer->first + buffer->used) % buffer->capacity;
    buffer->lines[last] = line;
    buffer->used++;
    pthread_cond_signal(&buffer->not_empty);
    pthread_mutex_unlock(&buffer->mutex);
}

static void close_producer(struct buffer *buffer) {
    pthread_mutex_lock(&buffer->mutex);
    buffer->open_producers--;
    if (buffer->open_producers == 0)
        pthread_cond_broadcast(&buffer->not_empty);
    pthread_mutex_unlock(&buffer->mutex);
}

// Waits, with the mutex held, until there is a line or there will never be one.
static bool wait_for_line(struct buffer *buffer) {
    while (buffer->used == 0 && buffer->open_producers > 0)
        pthread_cond_wait(&buffer->not_empty, &buffer->mutex);
    return buffer->used > 0;
}

// Takes the oldest line; the mutex is held.
static char *take(struct buffer *buffer) {
    assert(buffer->used > 0); //~ ERROR: assertion failed
    char *line = buffer->lines[buffer->first];
    buffer->lines[buffer->first] = NULL;
    buffer->first = (buffer->first + 1) % buffer->capacity;
    buffer->used--;
    pthread_cond_signal(&buffer->not_full);
    return line;
}

// The next line, or NULL when every producer is done and the buffer is empty.
static char *get(struct buffer *buffer) {
    char *line = NULL;
    pthread_mutex_lock(&buffer->mutex);
    bool available = wait_for_line(buffer);
#ifndef FIXED
    // The check leaves its critical section before the line is taken.
    pthread_mutex_unlock(&buffer->mutex);
    if (!available)
        return NULL;
    pthread_mutex_lock(&buffer->mutex);
#endif
    if (available)
        line = take(buffer);
    pthread_mutex_unlock(&buffer->mutex);
    return line;
}

static void *produce(void *argument) {
    struct producer *producer = argument;
    FILE *file = fopen(producer->path, "r");
    if (file == NULL) {
        producer->failed = true;
        close_producer(producer->buffer);
        return NULL;
    }
    char line[MAX_LINE];
    for (int number = 0; fgets(line, sizeof line, file) != NULL; number++) {
        if (number % producer->stride != producer->index)
            continue;
        char *copy = malloc(strlen(line) + 1);
        if (copy == NULL) {
            producer->failed = true;
            break;
        }
        strcpy(copy, line);
        put(producer->buffer, copy);
    }
    fclose(file);
    close_producer(producer->buffer);
    return NULL;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Adds one line to the consumer's own counts. The checksum is a sum over lines
// of a hash of each, hence independent of the order in which lines are taken.
static void count_line(struct consumer *consumer, const char *line) {
    unsigned long hash = 5381;
    bool inside_word = false;
    for (const char *c = line; *c != '\0'; c++) {
        hash = hash * 33 + (unsigned char)*c;
        if (is_letter(*c) && !inside_word)
            consumer->words++;
        inside_word = is_letter(*c);
        consumer->bytes++;
    }
    consumer->lines++;
    consumer->checksum += hash & 0xffffffff;
}

static void *consume(void *argument) {
    struct consumer *consumer = argument;
    for (;;) {
        char *line = get(consumer->buffer);
        if (line == NULL)
            return NULL;
        count_line(consumer, line);
        free(line);
    }
}

// The value of an optional count argument.
static int count_argument(int argc, char **argv, int index, int fallback, int most) {
    if (index >= argc)
        return fallback;
    int value = atoi(argv[index]);
    if (value < 1 || value > most) {
        fprintf(stderr, "%s: %s is not a number from 1 to %d\n", argv[0], argv[index], most);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 5) {
        fprintf(stderr, "usage: bounded_buffer FILE [PRODUCERS [CONSUMERS [CAPACITY]]]\n");
        return 2;
    }
    int producers = count_argument(argc, argv, 2, 1, MAX_THREADS);
    int consumers = count_argument(argc, argv, 3, 2, MAX_THREADS);
    int capacity = count_argument(argc, argv, 4, 2, MAX_CAPACITY);

    struct buffer buffer = {.capacity = capacity, .open_producers = producers};
    pthread_mutex_init(&buffer.mutex, NULL);
    pthread_cond_init(&buffer.not_empty, NULL);
    pthread_cond_init(&buffer.not_full, NULL);

    struct consumer consumer[MAX_THREADS] = {0};
    struct producer producer[MAX_THREADS] = {0};
    pthread_t consumer_thread[MAX_THREADS];
    pthread_t producer_thread[MAX_THREADS];
    for (int i = 0; i < consumers; i++) {
        consumer[i].buffer = &buffer;
        pthread_create(&consumer_thread[i], NULL, consume, &consumer[i]);
    }
    for (int i = 0; i < producers; i++) {
        producer[i] = (struct producer){&buffer, argv[1], i, producers, false};
        pthread_create(&producer_thread[i], NULL, produce, &producer[i]);
    }

    bool failed = false;
    for (int i = 0; i < producers; i++) {
        pthread_join(producer_thread[i], NULL);
        failed = failed || producer[i].failed;
    }
    struct consumer total = {0};
    for (int i = 0; i < consumers; i++) {
        pthread_join(consumer_thread[i], NULL);
        total.lines += consumer[i].lines;
        total.words += consumer[i].words;
        total.bytes += consumer[i].bytes;
        total.checksum += consumer[i].checksum;
    }
    pthread_cond_destroy(&buffer.not_full);
    pthread_cond_destroy(&buffer.not_empty);
    pthread_mutex_destroy(&buffer.mutex);
    if (failed) {
        fprintf(stderr, "bounded_buffer: cannot read %s\n", argv[1]);
        return 1;
    }
    printf("%lu lines, %lu words, %lu bytes, checksum %08lx\n", total.lines, total.words,
           total.bytes, total.checksum & 0xffffffff);
    return 0;
}
