// However many wait, the value is not below zero.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
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
    int value;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_getvalue(&semaphore, &value);
    printf("%d", value);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    sem_getvalue(&semaphore, &value);
    printf(",%d\n", value);
    return 0;
}
