// No such policy, no such priority.
//@ outcomes: 1,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    struct sched_param parameters = {.sched_priority = 5};
    printf("%d", pthread_setschedparam(pthread_self(), 99, &parameters) == EINVAL);
    printf(",%d", pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters) == EINVAL);
    parameters.sched_priority = 0;
    printf(",%d\n", pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters));
    return 0;
}
