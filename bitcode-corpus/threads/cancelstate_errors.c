// States and types can be set and got; others are refused.
//@ outcomes: 0,0,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int old = -1;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    printf("%d", old == PTHREAD_CANCEL_DISABLE);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    printf(",%d", old == PTHREAD_CANCEL_ASYNCHRONOUS);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    printf(",%d", old == PTHREAD_CANCEL_DISABLE);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    printf(",%d", old == PTHREAD_CANCEL_ASYNCHRONOUS);
    printf(",%d", pthread_setcancelstate(7, &old) == EINVAL);
    printf(",%d\n", pthread_setcanceltype(7, &old) == EINVAL);
    return 0;
}
