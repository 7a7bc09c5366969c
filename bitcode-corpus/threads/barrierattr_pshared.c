// pthread_barrierattr_setpshared: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_barrierattr_t attributes;
    int value = -1;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_getpshared(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    pthread_barrierattr_getpshared(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE));
    pthread_barrierattr_getpshared(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_barrierattr_setpshared(&attributes, 7) == EINVAL ? "EINVAL" : "?");
    pthread_barrierattr_getpshared(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_barrierattr_destroy(&attributes));
    return 0;
}
