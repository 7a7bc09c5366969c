// pthread_attr_setinheritsched: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    int value = -1;
    pthread_attr_init(&attributes);
    pthread_attr_getinheritsched(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED));
    pthread_attr_getinheritsched(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED));
    pthread_attr_getinheritsched(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_attr_setinheritsched(&attributes, 7) == EINVAL ? "EINVAL" : "?");
    pthread_attr_getinheritsched(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_attr_destroy(&attributes));
    return 0;
}
