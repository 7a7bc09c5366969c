// Nor is waiting at a barrier.
//@ outcomes: 8
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_barrier_t barrier;

static void *run(void *argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, (void *)8);
    pthread_cancel(thread);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
