// What trying a mutex that the thread holds answers depends on its type.
//@ outcomes: 1,0,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static int try(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    int error = pthread_mutex_trylock(&mutex);
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return error;
}

int main(void) {
    printf("%d", try(PTHREAD_MUTEX_NORMAL) == EBUSY);
    printf(",%d", try(PTHREAD_MUTEX_RECURSIVE));
    printf(",%d", try(PTHREAD_MUTEX_ERRORCHECK) == EBUSY);
    printf(",%d\n", try(PTHREAD_MUTEX_ADAPTIVE_NP) == EBUSY);
    return 0;
}
