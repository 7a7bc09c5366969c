// A thread that waits for a robust mutex gets it, and is told, when the holder ends.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static int told;

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *wait(void *unused) {
    told = pthread_mutex_lock(&mutex);
    if (told == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t holder, waiter;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&holder, NULL, hold, NULL);
    pthread_create(&waiter, NULL, wait, NULL);
    pthread_join(holder, NULL);
    pthread_join(waiter, NULL);
    /* The waiter was first, or it was told. */
    printf("%d\n", told == 0 || told == EOWNERDEAD);
    return 0;
}
