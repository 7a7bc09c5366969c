// A thread can be bound to a processor it may use, and says so.
//@ outcomes: 0,1,0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    cpu_set_t set, got;
    CPU_ZERO(&set);
    printf("%d", pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    printf(",%d", CPU_COUNT(&set) > 0);
    int first = 0;
    while (!CPU_ISSET(first, &set))
        first++;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    printf(",%d", pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    pthread_getaffinity_np(pthread_self(), sizeof got, &got);
    printf(",%d\n", CPU_EQUAL(&set, &got) != 0);
    return 0;
}
