// A deadline that is no time matters only where the mutex is held.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec late = {.tv_sec = 1 << 30, .tv_nsec = 1000000000}, never = {.tv_nsec = -1};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    printf("%d", pthread_mutex_timedlock(&mutex, &late));
    printf(",%d\n", pthread_mutex_timedlock(&mutex, &never) == EINVAL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
