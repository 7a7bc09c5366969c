// A condition variable may be destroyed once all its waiters were woken, before they have returned.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, ready;

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    int error = 0;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    if (waiting) {
        pthread_cond_broadcast(&changed);
        error = pthread_cond_destroy(&changed);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d\n", error);
    return 0;
}
