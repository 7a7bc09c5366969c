// A free lock is had at once, whatever the deadline and the clock.
//@ outcomes: 0,0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec past = {0};
    printf("%d", pthread_rwlock_timedrdlock(&lock, &past));
    pthread_rwlock_unlock(&lock);
    printf(",%d", pthread_rwlock_timedwrlock(&lock, &past));
    pthread_rwlock_unlock(&lock);
    printf(",%d", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past));
    pthread_rwlock_unlock(&lock);
    printf(",%d\n", pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &past));
    pthread_rwlock_unlock(&lock);
    return 0;
}
