// A mutex that processes may share works between threads.
//@ outcomes: 0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    printf("%d", pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    pthread_mutex_init(&mutex, &attributes);
    printf(",%d", pthread_mutex_lock(&mutex));
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
    return 0;
}
