// Attributes of every kind are accepted; the attribute object may be destroyed while the thread runs.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

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
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_setguardsize(&attributes, 0);
    pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    printf("%d", pthread_create(&thread, &attributes, run, NULL) == 0);
    pthread_attr_destroy(&attributes);
    sem_post(&go);
    printf(",%d\n", pthread_join(thread, NULL));
    return 0;
}
