// A thread's processor-time clock can be had and read, and does not go back.
//@ outcomes: 0,0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    clockid_t clock;
    struct timespec before, after;
    printf("%d", pthread_getcpuclockid(pthread_self(), &clock));
    printf(",%d", clock_gettime(clock, &before));
    clock_gettime(clock, &after);
    printf(",%d\n", after.tv_sec > before.tv_sec ||
                        (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
    return 0;
}
