// When the wait has timed out, its deadline has passed.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t semaphore;
    struct timespec limit, now;
    sem_init(&semaphore, 0, 0);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 2000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    printf("%d", sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &now);
    printf(",%d\n", now.tv_sec > limit.tv_sec || (now.tv_sec == limit.tv_sec && now.tv_nsec >= limit.tv_nsec));
    return 0;
}
