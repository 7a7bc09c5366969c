// Destroying a held mutex is an error that a program may ask about.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    printf("%d", pthread_mutex_destroy(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    printf(",%d\n", pthread_mutex_destroy(&mutex));
    return 0;
}
