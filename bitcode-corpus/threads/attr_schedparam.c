// A priority must be one of the policy: 0 of SCHED_OTHER, 1 to 99 of SCHED_FIFO.
//@ outcomes: 0,1,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    struct sched_param parameters = {.sched_priority = 0};
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_setschedparam(&attributes, &parameters));
    parameters.sched_priority = 5;
    printf(",%d", pthread_attr_setschedparam(&attributes, &parameters) == EINVAL);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    printf(",%d", pthread_attr_setschedparam(&attributes, &parameters));
    parameters.sched_priority = 100;
    printf(",%d\n", pthread_attr_setschedparam(&attributes, &parameters) == EINVAL);
    return 0;
}
