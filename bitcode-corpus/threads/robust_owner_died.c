// Who locks a robust mutex after its holder has ended is told; made consistent, it is an ordinary mutex again.
//@ outcomes: 1,0,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static void make_abandoned(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    make_abandoned();
    printf("%d", pthread_mutex_lock(&mutex) == EOWNERDEAD);
    printf(",%d", pthread_mutex_consistent(&mutex));
    printf(",%d", pthread_mutex_unlock(&mutex));
    printf(",%d\n", pthread_mutex_lock(&mutex));
    return 0;
}
