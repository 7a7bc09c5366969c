// A process that does not exist has no scheduling, and none has a negative number.
//@ outcomes: 1,1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#define NOBODY 0x3ffffff0

int main(void) {
    struct timespec interval;
    struct sched_param parameters = {0};
    errno = 0;
    printf("%d", sched_getscheduler(NOBODY) == -1 && errno == ESRCH);
    errno = 0;
    printf(",%d", sched_getscheduler(-1) == -1 && errno == EINVAL);
    errno = 0;
    printf(",%d", sched_getparam(NOBODY, &parameters) == -1 && errno == ESRCH);
    errno = 0;
    printf(",%d", sched_setparam(NOBODY, &parameters) == -1 && errno == ESRCH);
    errno = 0;
    printf(",%d", sched_rr_get_interval(NOBODY, &interval) == -1 && errno == ESRCH);
    errno = 0;
    printf(",%d\n", sched_rr_get_interval(-1, &interval) == -1 && errno == EINVAL);
    return 0;
}
