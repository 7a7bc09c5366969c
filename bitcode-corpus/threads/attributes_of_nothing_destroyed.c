// glibc has nothing to destroy in attribute objects and does not look at them.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    printf("%d", pthread_mutexattr_destroy(NULL));
    printf(",%d\n", pthread_condattr_destroy(NULL));
    return 0;
}
