// The concurrency level is remembered; a negative one is refused.
//@ outcomes: 0,0,10,1,10
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    printf("%d", pthread_getconcurrency());
    printf(",%d", pthread_setconcurrency(10));
    printf(",%d", pthread_getconcurrency());
    printf(",%d", pthread_setconcurrency(-1) == EINVAL);
    printf(",%d\n", pthread_getconcurrency());
    return 0;
}
