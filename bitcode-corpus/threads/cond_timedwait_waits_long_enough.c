// When a timed wait has timed out, its deadline has passed.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    struct timespec limit, now;
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 2000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    while (pthread_cond_timedwait(&changed, &mutex, &limit) != ETIMEDOUT)
        ;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%d\n", now.tv_sec > limit.tv_sec || (now.tv_sec == limit.tv_sec && now.tv_nsec >= limit.tv_nsec));
    pthread_mutex_unlock(&mutex);
    return 0;
}
