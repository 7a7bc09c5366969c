// The semaphore stays 0: the wait ends by its deadline.
//@ outcomes: -1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec past = {.tv_sec = 1};
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    printf("%d", sem_timedwait(&semaphore, &past));
    printf(",%d\n", errno == ETIMEDOUT);
    return 0;
}
