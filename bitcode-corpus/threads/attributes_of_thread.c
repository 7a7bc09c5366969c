// The attributes of a thread are those it was created with.
//@ outcomes: 0,1,65536,8192
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
    pthread_attr_t attributes, found;
    pthread_t thread;
    int state;
    size_t stack, guard;
    sem_init(&go, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_attr_setguardsize(&attributes, 8192);
    pthread_create(&thread, &attributes, run, NULL);
    printf("%d", pthread_getattr_np(thread, &found));
    pthread_attr_getdetachstate(&found, &state);
    pthread_attr_getstacksize(&found, &stack);
    pthread_attr_getguardsize(&found, &guard);
    printf(",%d,%zu,%zu\n", state == PTHREAD_CREATE_DETACHED, stack, guard);
    pthread_attr_destroy(&found);
    sem_post(&go);
    pthread_exit(NULL);
}
