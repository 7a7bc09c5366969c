// pthread_mutexattr_setprioceiling: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 1,0,7,0,99,0,1,EINVAL,EINVAL,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    int value = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_getprioceiling(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_mutexattr_setprioceiling(&attributes, 7));
    pthread_mutexattr_getprioceiling(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_mutexattr_setprioceiling(&attributes, 99));
    pthread_mutexattr_getprioceiling(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_mutexattr_setprioceiling(&attributes, 1));
    pthread_mutexattr_getprioceiling(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_mutexattr_setprioceiling(&attributes, 0) == EINVAL ? "EINVAL" : "?");
    printf(",%s", pthread_mutexattr_setprioceiling(&attributes, 100) == EINVAL ? "EINVAL" : "?");
    pthread_mutexattr_getprioceiling(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_mutexattr_destroy(&attributes));
    return 0;
}
