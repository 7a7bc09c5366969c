// A clock that cannot limit a wait; a deadline that passes.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t semaphore;
    struct timespec past = {.tv_sec = 1};
    sem_init(&semaphore, 0, 0);
    printf("%d", sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &past) == -1 && errno == EINVAL);
    printf(",%d\n", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
    return 0;
}
