// pthread_attr_setschedpolicy: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,2,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    int value = -1;
    pthread_attr_init(&attributes);
    pthread_attr_getschedpolicy(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_attr_setschedpolicy(&attributes, SCHED_FIFO));
    pthread_attr_getschedpolicy(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_attr_setschedpolicy(&attributes, SCHED_RR));
    pthread_attr_getschedpolicy(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_attr_setschedpolicy(&attributes, SCHED_OTHER));
    pthread_attr_getschedpolicy(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_attr_setschedpolicy(&attributes, 99) == EINVAL ? "EINVAL" : "?");
    pthread_attr_getschedpolicy(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_attr_destroy(&attributes));
    return 0;
}
