// A barrier for nobody is refused.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_barrier_t barrier;
    printf("%d\n", pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    return 0;
}
