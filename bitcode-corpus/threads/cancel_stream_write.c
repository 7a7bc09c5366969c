// So can one that waits for room. What it locked by flockfile stays locked.
//@ outcomes: 1,1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CAPACITY = 65536 };
static FILE *stream, *locked;

static void *run(void *unused) {
    flockfile(locked);
    fputc('y', stream);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    int ends[2];
    pipe(ends);
    write(ends[1], calloc(1, CAPACITY), CAPACITY);
    stream = fdopen(ends[1], "w");
    locked = fdopen(ends[0], "r");
    setvbuf(stream, NULL, _IONBF, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d,%d,%d\n", result == PTHREAD_CANCELED, ftrylockfile(stream) == 0, ftrylockfile(locked) == 0);
    fflush(stdout);
    _exit(0);
}
