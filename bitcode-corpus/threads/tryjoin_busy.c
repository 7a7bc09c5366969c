// tryjoin of a thread that runs says so; afterwards the thread can still be joined.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d", pthread_tryjoin_np(thread, NULL) == EBUSY);
    pthread_mutex_unlock(&mutex);
    printf(",%d\n", pthread_join(thread, NULL));
    return 0;
}
