// A thread that joins itself would wait for ever and is told.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    printf("%d\n", pthread_join(pthread_self(), NULL) == EDEADLK);
    return 0;
}
