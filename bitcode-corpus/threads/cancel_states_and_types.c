// Both switches say what they were before.
//@ outcomes: 0,0,1,0,0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int before;
    printf("%d", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before));
    printf(",%d", before != PTHREAD_CANCEL_ENABLE);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    printf(",%d", before == PTHREAD_CANCEL_DISABLE);
    printf(",%d", pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before));
    printf(",%d", before != PTHREAD_CANCEL_DEFERRED);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
    printf(",%d\n", before == PTHREAD_CANCEL_ASYNCHRONOUS);
    return 0;
}
