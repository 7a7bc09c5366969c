// Waiting for descriptors is a cancellation point.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    poll(NULL, 0, -1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
