// A barrier is initialised again while a thread waits at it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *wait(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_barrier_init(&barrier, NULL, 2); //~ ERROR: initialisation of a barrier at which threads wait
    _Exit(0);
}
