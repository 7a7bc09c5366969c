// Trying takes what is there, and says if nothing is.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    printf("%d", sem_trywait(&semaphore));
    printf(",%d\n", sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    sem_destroy(&semaphore);
    return 0;
}
