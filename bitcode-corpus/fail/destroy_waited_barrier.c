// A barrier is destroyed while a thread waits at it, or before.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *wait(void *unused) {
    pthread_barrier_wait(&barrier); //~ ERROR: use of a destroyed barrier
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_barrier_destroy(&barrier); //~ ERROR: destroy of a barrier at which threads wait
    _Exit(0);
}
