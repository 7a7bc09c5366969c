// The round-robin policy has an interval.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec interval = {-1, -1};
    printf("%d", sched_rr_get_interval(0, &interval));
    printf(",%d\n", interval.tv_sec >= 0 && interval.tv_nsec >= 0);
    return 0;
}
