// Clocks of processor time cannot limit waits; sharing is one of two values.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    printf("%d", pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
    printf(",%d", pthread_condattr_setclock(&attributes, CLOCK_THREAD_CPUTIME_ID) == EINVAL);
    printf(",%d\n", pthread_condattr_setpshared(&attributes, 5) == EINVAL);
    pthread_condattr_destroy(&attributes);
    return 0;
}
