// A thread that is cancelled takes a semaphore that is free: sem_wait acts on the request before, sem_clockwait
// only where it has to wait (glibc).
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphores[2];
static atomic_int requested;

static void *wait(void *semaphore) {
    struct timespec past = {1, 0};
    while (!requested)
        ;
    if (semaphore == semaphores)
        sem_wait(semaphore);
    else
        sem_clockwait(semaphore, CLOCK_REALTIME, &past);
    return NULL;
}

int main(void) {
    void *results[2];
    for (int number = 0; number < 2; number++) {
        pthread_t thread;
        requested = 0;
        sem_init(&semaphores[number], 0, 1);
        pthread_create(&thread, NULL, wait, &semaphores[number]);
        pthread_cancel(thread);
        requested = 1;
        pthread_join(thread, &results[number]);
    }
    printf("%d,%d\n", results[0] == PTHREAD_CANCELED, results[1] == PTHREAD_CANCELED);
    return 0;
}
