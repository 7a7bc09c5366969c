// A deadline that is no time is refused.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec late = {.tv_sec = 1 << 30, .tv_nsec = 1000000000}, never = {.tv_nsec = -1};
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    printf("%d", pthread_rwlock_timedrdlock(&lock, &late) == EINVAL);
    printf(",%d\n", pthread_rwlock_timedwrlock(&lock, &never) == EINVAL);
    return 0;
}
