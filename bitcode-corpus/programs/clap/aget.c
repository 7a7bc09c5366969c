// A download in parts, after aget of CLAP's Table 1: each thread fetches its part of a file in chunks and adds the
// length of each to a total that the program resumes from.
//
// The bug: the total is added to without a lock, so that a chunk may not be counted.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 3, PART = 2048, CHUNK = 128, FILE_BYTES = PARTS * PART };

static unsigned char remote[FILE_BYTES], local[FILE_BYTES];
static long written;
static pthread_mutex_t socket_mutex = PTHREAD_MUTEX_INITIALIZER;

struct part {
    long start, end, at;
};

// What the server would send: it answers one request at a time.
static long receive(long at, long end, unsigned char *into) {
    pthread_mutex_lock(&socket_mutex);
    long length = end - at < CHUNK ? end - at : CHUNK;
    memcpy(into, remote + at, (size_t)length);
    pthread_mutex_unlock(&socket_mutex);
    return length;
}

static void *fetch(void *argument) {
    struct part *part = argument;
    unsigned char chunk[CHUNK];
    while (part->at < part->end) {
        long length = receive(part->at, part->end, chunk);
        for (long i = 0; i < length; i++)
            local[part->at + i] = chunk[i];
        part->at += length;
        long before = written;
        if (before % 512 == 0) usleep(50);
        written = before + length;
    }
    return NULL;
}

int main(void) {
    for (long i = 0; i < FILE_BYTES; i++)
        remote[i] = (unsigned char)(i * 31 + i / 7);
    struct part parts[PARTS];
    pthread_t threads[PARTS];
    for (long i = 0; i < PARTS; i++) {
        parts[i] = (struct part){i * PART, (i + 1) * PART, i * PART};
        pthread_create(&threads[i], NULL, fetch, &parts[i]);
    }
    for (int i = 0; i < PARTS; i++)
        pthread_join(threads[i], NULL);
    assert(memcmp(local, remote, FILE_BYTES) == 0);
    assert(written == FILE_BYTES);
    return 0;
}
