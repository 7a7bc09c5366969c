// Posts beyond the maximum and initial values beyond it are refused.
//@ outcomes: -1,1,0,-1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t semaphore;
    printf("%d", sem_init(&semaphore, 0, 0x80000000u));
    printf(",%d", errno == EINVAL);
    printf(",%d", sem_init(&semaphore, 0, 0x7fffffff));
    printf(",%d", sem_post(&semaphore));
    printf(",%d\n", errno == EOVERFLOW);
    return 0;
}
