// A thread may be detached while it runs.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t go;

static void *run(void *unused) {
    sem_wait(&go);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d\n", pthread_detach(thread));
    sem_post(&go);
    pthread_exit(NULL);
}
