// A request to a thread that has ended, and is not joined, has no effect.
//@ outcomes: 0,5
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ended;

static void *run(void *argument) {
    sem_post(&ended);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ended, 0, 0);
    pthread_create(&thread, NULL, run, (void *)5);
    sem_wait(&ended);
    usleep(10000);
    printf("%d", pthread_cancel(thread));
    pthread_join(thread, &result);
    printf(",%d\n", (int)(intptr_t)result);
    return 0;
}
