// A thread that waits for a semaphore can be cancelled.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;

static void *run(void *unused) {
    sem_wait(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
