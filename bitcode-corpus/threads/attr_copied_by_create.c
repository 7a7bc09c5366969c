// Changing an attribute object after a thread was made with it does not change the thread.
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
    pthread_attr_t attributes;
    pthread_t thread;
    sem_init(&go, 0, 0);
    pthread_attr_init(&attributes);
    pthread_create(&thread, &attributes, run, NULL);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_destroy(&attributes);
    sem_post(&go);
    printf("%d\n", pthread_join(thread, NULL));
    return 0;
}
