// pthread_attr_setstacksize: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 8388608,0,16384,0,1048576,EINVAL,1048576,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    size_t value = -1;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    pthread_attr_getstacksize(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_attr_setstacksize(&attributes, 1 << 20));
    pthread_attr_getstacksize(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN - 1) == EINVAL ? "EINVAL" : "?");
    pthread_attr_getstacksize(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_attr_destroy(&attributes));
    return 0;
}
