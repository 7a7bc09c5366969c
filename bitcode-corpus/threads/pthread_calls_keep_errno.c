// Functions of <pthread.h> return error numbers and leave errno alone.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    errno = 77;
    pthread_mutex_lock(&mutex);
    int error = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("%d\n", errno == 77 && error == EDEADLK);
    return 0;
}
