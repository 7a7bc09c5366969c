// Processors can be asked for in advance.
//@ outcomes: 0,0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    cpu_set_t set, got;
    pthread_attr_init(&attributes);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    printf("%d", pthread_attr_setaffinity_np(&attributes, sizeof set, &set));
    printf(",%d", pthread_attr_getaffinity_np(&attributes, sizeof got, &got));
    printf(",%d\n", CPU_EQUAL(&set, &got) != 0);
    pthread_attr_destroy(&attributes);
    return 0;
}
