// Clocks that do not exist are refused, positive and negative ones; setting one takes a privilege or a time.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec time, never = {0, 2000000000};
    printf("%d", clock_gettime(50, &time) == -1 && errno == EINVAL);
    printf(",%d", clock_gettime(-1, &time) == -1 && errno == EINVAL);
    printf(",%d", clock_getres((clockid_t)0x80000001, &time) == -1 && errno == EINVAL);
    printf(",%d\n", clock_settime(CLOCK_REALTIME, &never) == -1 && (errno == EINVAL || errno == EPERM));
    return 0;
}
