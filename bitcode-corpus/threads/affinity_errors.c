// No processor at all, and too little room for the answer.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    cpu_set_t none;
    CPU_ZERO(&none);
    printf("%d", pthread_setaffinity_np(pthread_self(), sizeof none, &none) == EINVAL);
    printf(",%d", pthread_getaffinity_np(pthread_self(), 1, &none) == EINVAL);
    printf(",%d\n", sched_setaffinity(0, sizeof none, &none) == -1 && errno == EINVAL);
    return 0;
}
