// An error-checking mutex says that the waiting thread does not have it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    printf("%d\n", pthread_cond_wait(&changed, &mutex) == EPERM);
    return 0;
}
