// A mutex that another thread holds is not had before the deadline.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int timed, clocked;

static void *try(void *unused) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    timed = pthread_mutex_timedlock(&mutex, &limit);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    clocked = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    printf("%d,%d\n", timed == ETIMEDOUT, clocked == ETIMEDOUT);
    return 0;
}
