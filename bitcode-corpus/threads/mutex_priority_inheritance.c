// A mutex with priority inheritance is locked as any other.
//@ outcomes: 0,0,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    printf("%d", pthread_mutex_init(&mutex, &attributes));
    printf(",%d", pthread_mutex_lock(&mutex));
    printf(",%d", pthread_mutex_trylock(&mutex) == EBUSY);
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
    return 0;
}
