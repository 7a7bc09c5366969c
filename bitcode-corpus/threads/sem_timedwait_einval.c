// A deadline that is no time is refused, as glibc does even where the semaphore is above 0.
//@ outcomes: -1,-1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec late = {.tv_sec = 1 << 30, .tv_nsec = 1000000000}, never = {.tv_nsec = -1};
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    printf("%d", sem_timedwait(&semaphore, &late));
    printf(",%d", sem_timedwait(&semaphore, &never));
    printf(",%d\n", errno == EINVAL);
    return 0;
}
