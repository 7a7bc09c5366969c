// A recursive mutex is not unlocked by a thread that does not hold it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *unlock(void *unused) {
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, unlock, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
