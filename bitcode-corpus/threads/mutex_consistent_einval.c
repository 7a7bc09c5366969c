// Only an abandoned robust mutex can be made consistent.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, robust;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&robust);
    printf("%d", pthread_mutex_consistent(&plain) == EINVAL);
    printf(",%d\n", pthread_mutex_consistent(&robust) == EINVAL);
    pthread_mutex_unlock(&plain);
    pthread_mutex_unlock(&robust);
    return 0;
}
