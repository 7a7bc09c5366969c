// A thread that waits for bytes from a pipe can be cancelled.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *run(void *unused) {
    char byte;
    read(ends[0], &byte, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pipe(ends);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
