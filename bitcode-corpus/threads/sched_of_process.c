// The policy and parameters of the process can be asked and set; what there is not is refused.
//@ outcomes: 1,1,1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    struct sched_param parameters = {.sched_priority = 7};
    printf("%d", sched_getparam(0, &parameters) == 0 && parameters.sched_priority == 0);
    printf(",%d", sched_getscheduler(0) == SCHED_OTHER);
    printf(",%d", sched_setparam(0, &parameters) == 0);
    printf(",%d", sched_setscheduler(0, SCHED_OTHER, &parameters) == 0);
    printf(",%d", sched_setscheduler(0, 99, &parameters) == -1 && errno == EINVAL);
    parameters.sched_priority = 1000;
    printf(",%d", sched_setscheduler(0, SCHED_FIFO, &parameters) == -1 && errno == EINVAL);
    printf(",%d\n", sched_getparam(-1, &parameters) == -1 && errno == EINVAL);
    return 0;
}
