// A semaphore is destroyed while a thread waits on it, or before.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t semaphore;

static void *wait(void *unused) {
    sem_wait(&semaphore); //~ ERROR: use of a destroyed semaphore
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
    sem_destroy(&semaphore); //~ ERROR: destroy of a semaphore on which threads wait
    _Exit(0);
}
