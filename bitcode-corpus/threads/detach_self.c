// A thread may detach itself.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int result;

static void *run(void *unused) {
    result = pthread_detach(pthread_self());
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&done);
    printf("%d\n", result);
    pthread_exit(NULL);
}
