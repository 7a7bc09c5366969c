// A robust mutex whose owner ended and that was not made consistent is nobody's again, also for who would wait for a time.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    struct timespec deadline;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    printf("%d", pthread_mutex_timedlock(&mutex, &deadline) == EOWNERDEAD);
    pthread_mutex_unlock(&mutex);
    printf(",%d", pthread_mutex_timedlock(&mutex, &deadline) == ENOTRECOVERABLE);
    printf(",%d\n", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) == ENOTRECOVERABLE);
    return 0;
}
