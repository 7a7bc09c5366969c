// Each policy has a range of priorities.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    printf("%d", sched_get_priority_min(SCHED_OTHER) <= sched_get_priority_max(SCHED_OTHER));
    printf(",%d", sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
    printf(",%d", sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) >= 31);
    printf(",%d\n", sched_get_priority_max(1234) == -1 && errno == EINVAL);
    return 0;
}
