// A barrier serves any number of rounds, with one serial thread each.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int serial;

static void *run(void *unused) {
    for (int round = 0; round < 2; round++)
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    printf("%d\n", serial);
    return 0;
}
