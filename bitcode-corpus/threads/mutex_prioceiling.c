// A ceiling can be read and changed where the protocol has one.
//@ outcomes: 0,7,0,7,9,1
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, protect;
    int ceiling = -1, old = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 7);
    pthread_mutex_init(&protect, &attributes);
    printf("%d", pthread_mutex_getprioceiling(&protect, &ceiling));
    printf(",%d", ceiling);
    printf(",%d,%d", pthread_mutex_setprioceiling(&protect, 9, &old), old);
    pthread_mutex_getprioceiling(&protect, &ceiling);
    printf(",%d,%d\n", ceiling, pthread_mutex_getprioceiling(&plain, &ceiling) == EINVAL);
    return 0;
}
