// The owner locks a recursive mutex again; it is free after as many unlocks.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *attempt(void *unused) {
    (void)unused;
    int error = pthread_mutex_trylock(&mutex);
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    return (void *)(intptr_t)(error == EBUSY);
}

static int busy_for_others(void) {
    pthread_t thread;
    void *busy;
    pthread_create(&thread, NULL, attempt, NULL);
    pthread_join(thread, &busy);
    return (int)(intptr_t)busy;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    printf("%d %d\n", pthread_mutex_lock(&mutex), pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex);
    printf("%d\n", busy_for_others());
    pthread_mutex_unlock(&mutex);
    printf("%d\n", busy_for_others());
    return pthread_mutex_destroy(&mutex);
}
