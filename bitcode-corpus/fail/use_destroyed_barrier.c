// A destroyed barrier is waited at.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier); //~ ERROR: use of a destroyed barrier
    return 0;
}
