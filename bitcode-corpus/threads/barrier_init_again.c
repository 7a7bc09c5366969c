// A destroyed barrier may be made anew, for another count.
//@ outcomes: 0,0,-1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 3);
    printf("%d", pthread_barrier_destroy(&barrier));
    printf(",%d", pthread_barrier_init(&barrier, NULL, 1));
    printf(",%d\n", pthread_barrier_wait(&barrier));
    pthread_barrier_destroy(&barrier);
    return 0;
}
