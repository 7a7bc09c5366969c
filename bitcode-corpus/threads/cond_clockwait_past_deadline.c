// The same by either clock.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    struct timespec past = {0};
    pthread_mutex_lock(&mutex);
    printf("%d", pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    printf(",%d\n", pthread_cond_clockwait(&changed, &mutex, CLOCK_REALTIME, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return 0;
}
