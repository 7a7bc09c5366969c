// A free mutex is had at once, whatever the deadline.
//@ outcomes: 0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec past = {0};
    printf("%d", pthread_mutex_timedlock(&mutex, &past));
    pthread_mutex_unlock(&mutex);
    printf(",%d", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    return 0;
}
