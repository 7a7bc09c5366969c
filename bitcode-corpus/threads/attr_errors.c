// Each setting refuses values it does not have.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    struct sched_param parameters = {.sched_priority = 1000};
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_setdetachstate(&attributes, 17) == EINVAL);
    printf(",%d", pthread_attr_setinheritsched(&attributes, 17) == EINVAL);
    printf(",%d", pthread_attr_setscope(&attributes, 17) == EINVAL);
    printf(",%d", pthread_attr_setschedpolicy(&attributes, 1700) == EINVAL);
    printf(",%d\n", pthread_attr_setschedparam(&attributes, &parameters) == EINVAL);
    return 0;
}
