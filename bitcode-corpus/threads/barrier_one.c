// A barrier of one thread lets it pass as the serial thread, each time.
//@ outcomes: -1,-1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 1);
    printf("%d", pthread_barrier_wait(&barrier));
    printf(",%d\n", pthread_barrier_wait(&barrier));
    pthread_barrier_destroy(&barrier);
    return 0;
}
