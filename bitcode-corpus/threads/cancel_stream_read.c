// A thread that waits for bytes of a stream can be cancelled, and leaves the stream's lock to others.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;

static void *run(void *unused) {
    fgetc(stream);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    int ends[2];
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d,%d\n", result == PTHREAD_CANCELED, ftrylockfile(stream) == 0);
    return 0;
}
