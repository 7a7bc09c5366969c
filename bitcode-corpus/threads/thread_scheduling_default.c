// A thread starts with the usual policy, whose priority is 0.
//@ outcomes: 0,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int policy;
    struct sched_param parameters;
    printf("%d", pthread_getschedparam(pthread_self(), &policy, &parameters));
    printf(",%d,%d\n", policy == SCHED_OTHER, parameters.sched_priority == 0);
    return 0;
}
