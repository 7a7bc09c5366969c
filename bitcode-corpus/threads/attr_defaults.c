// What an attribute object starts with.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    int state, scope, policy, inherit;
    struct sched_param parameters;
    pthread_attr_init(&attributes);
    pthread_attr_getdetachstate(&attributes, &state);
    pthread_attr_getscope(&attributes, &scope);
    pthread_attr_getschedpolicy(&attributes, &policy);
    pthread_attr_getinheritsched(&attributes, &inherit);
    pthread_attr_getschedparam(&attributes, &parameters);
    printf("%d", state == PTHREAD_CREATE_JOINABLE);
    printf(",%d", scope == PTHREAD_SCOPE_SYSTEM);
    printf(",%d", policy == SCHED_OTHER);
    printf(",%d", inherit == PTHREAD_INHERIT_SCHED);
    printf(",%d\n", parameters.sched_priority == 0);
    pthread_attr_destroy(&attributes);
    return 0;
}
