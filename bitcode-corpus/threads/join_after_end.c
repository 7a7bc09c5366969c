// A thread that has ended keeps its result until it is joined.
//@ outcomes: 8
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

static sem_t ended;

static void *run(void *argument) {
    sem_post(&ended);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ended, 0, 0);
    pthread_create(&thread, NULL, run, (void *)8);
    sem_wait(&ended);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
