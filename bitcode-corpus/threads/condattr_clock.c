// pthread_condattr_setclock: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 0,0,1,0,0,EINVAL,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_condattr_t attributes;
    clockid_t value = -1;
    pthread_condattr_init(&attributes);
    pthread_condattr_getclock(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    pthread_condattr_getclock(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_condattr_setclock(&attributes, CLOCK_REALTIME));
    pthread_condattr_getclock(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%s", pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID) == EINVAL ? "EINVAL" : "?");
    pthread_condattr_getclock(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_condattr_destroy(&attributes));
    return 0;
}
