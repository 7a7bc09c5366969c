// A semaphore is destroyed while a thread waits on it, which then uses it.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t semaphore;

static void *destroy(void *unused) {
    sem_destroy(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, destroy, NULL);
    sem_wait(&semaphore); //~ ERROR: use of a destroyed semaphore
    return 0;
}
