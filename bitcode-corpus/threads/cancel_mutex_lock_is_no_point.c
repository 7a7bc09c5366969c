// Waiting for a mutex is no cancellation point: the thread gets it and ends normally.
//@ outcomes: 7
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, run, (void *)7);
    pthread_cancel(thread);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
