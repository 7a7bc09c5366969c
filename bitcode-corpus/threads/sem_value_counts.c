// The value goes down with each wait and up with each post.
//@ outcomes: 3,2,3
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t semaphore;
    int value;
    sem_init(&semaphore, 0, 3);
    sem_getvalue(&semaphore, &value);
    printf("%d", value);
    sem_wait(&semaphore);
    sem_getvalue(&semaphore, &value);
    printf(",%d", value);
    sem_post(&semaphore);
    sem_getvalue(&semaphore, &value);
    printf(",%d\n", value);
    sem_destroy(&semaphore);
    return 0;
}
