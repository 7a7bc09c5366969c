// Joining or detaching a detached thread is an error that a program may ask about.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
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
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, run, NULL);
    printf("%d", pthread_join(thread, NULL) == EINVAL);
    printf(",%d\n", pthread_detach(thread) == EINVAL);
    sem_post(&go);
    pthread_exit(NULL);
}
