// pthread_rwlockattr_setpshared: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlockattr_t attributes;
    int value = -1;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_getpshared(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    pthread_rwlockattr_getpshared(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE));
    pthread_rwlockattr_getpshared(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_rwlockattr_setpshared(&attributes, 7) == EINVAL ? "EINVAL" : "?");
    pthread_rwlockattr_getpshared(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_rwlockattr_destroy(&attributes));
    return 0;
}
