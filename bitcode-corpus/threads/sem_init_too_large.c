// A semaphore cannot start above its greatest value, nor be posted beyond it.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t semaphore;
    printf("%d", sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    sem_init(&semaphore, 0, SEM_VALUE_MAX);
    printf(",%d\n", sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    return 0;
}
