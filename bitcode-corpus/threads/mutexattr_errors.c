// Each setting refuses values it does not have.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    printf("%d", pthread_mutexattr_settype(&attributes, 17) == EINVAL);
    printf(",%d", pthread_mutexattr_setpshared(&attributes, 17) == EINVAL);
    printf(",%d", pthread_mutexattr_setprotocol(&attributes, 17) == EINVAL);
    printf(",%d", pthread_mutexattr_setrobust(&attributes, 17) == EINVAL);
    printf(",%d\n", pthread_mutexattr_setprioceiling(&attributes, 1000) == EINVAL);
    pthread_mutexattr_destroy(&attributes);
    return 0;
}
