// A mutex made without attributes, and one made with fresh ones, is locked once.
//@ outcomes: 0,1,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    printf("%d", pthread_mutex_trylock(&mutex));
    printf(",%d", pthread_mutex_trylock(&mutex) == EBUSY);
    printf(",%d", pthread_mutex_unlock(&mutex));
    printf(",%d\n", pthread_mutex_destroy(&mutex));
    return 0;
}
