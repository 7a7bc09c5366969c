// A thread's name is what it was last given, by itself or by another.
//@ outcomes: main-thread,worker,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t named, go;

static void *run(void *unused) {
    pthread_setname_np(pthread_self(), "worker");
    sem_post(&named);
    sem_wait(&go);
    return unused;
}

int main(void) {
    pthread_t thread;
    char name[16];
    sem_init(&named, 0, 0);
    sem_init(&go, 0, 0);
    pthread_setname_np(pthread_self(), "main-thread");
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%s", name);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&named);
    pthread_getname_np(thread, name, sizeof name);
    printf(",%s", name);
    sem_post(&go);
    printf(",%d\n", pthread_join(thread, NULL));
    return 0;
}
