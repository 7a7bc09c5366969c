// pthread_mutexattr_setrobust: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    int value = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_getrobust(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    pthread_mutexattr_getrobust(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED));
    pthread_mutexattr_getrobust(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_mutexattr_setrobust(&attributes, 7) == EINVAL ? "EINVAL" : "?");
    pthread_mutexattr_getrobust(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_mutexattr_destroy(&attributes));
    return 0;
}
