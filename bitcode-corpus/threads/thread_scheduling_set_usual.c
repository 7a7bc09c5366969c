// Setting what is there already changes nothing.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    struct sched_param parameters = {0};
    printf("%d", pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters));
    printf(",%d\n", pthread_setschedprio(pthread_self(), 0));
    return 0;
}
