// A condition variable made for the monotonic clock measures its deadlines by it.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t attributes;
    pthread_cond_t changed;
    struct timespec limit;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    printf("%d", pthread_cond_init(&changed, &attributes));
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_nsec += 1000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    printf(",%d\n", pthread_cond_timedwait(&changed, &mutex, &limit) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&changed);
    return 0;
}
