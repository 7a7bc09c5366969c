// The serial thread may destroy the barrier as soon as it has passed.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int error;

static void *run(void *unused) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        error = pthread_barrier_destroy(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", error);
    return 0;
}
