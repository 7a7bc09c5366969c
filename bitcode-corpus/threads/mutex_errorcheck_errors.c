// An error-checking mutex knows its holder.
//@ outcomes: 0,1,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    printf("%d", pthread_mutex_lock(&mutex));
    printf(",%d", pthread_mutex_lock(&mutex) == EDEADLK);
    printf(",%d", pthread_mutex_unlock(&mutex));
    printf(",%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return 0;
}
