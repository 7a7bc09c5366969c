// A thread inherits its creator's policy unless told otherwise.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int is_usual;

static void *run(void *unused) {
    int policy;
    struct sched_param parameters;
    pthread_getschedparam(pthread_self(), &policy, &parameters);
    is_usual = policy == SCHED_OTHER;
    return unused;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_RR);
    pthread_create(&thread, &attributes, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", is_usual);
    return 0;
}
