// After a wait the thread has the mutex: others do not get it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, error;

static void *signal_it(void *unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *try(void *unused) {
    error = pthread_mutex_trylock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, signal_it, NULL);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    printf("%d\n", error == EBUSY);
    return 0;
}
