// What is there is taken whatever the deadline.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t semaphore;
    struct timespec past = {0};
    sem_init(&semaphore, 0, 2);
    printf("%d", sem_timedwait(&semaphore, &past));
    printf(",%d\n", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past));
    return 0;
}
