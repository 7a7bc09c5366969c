// Sleep until a time of a clock.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec until, after;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 0;
    printf("%d", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
    clock_gettime(CLOCK_REALTIME, &after);
    printf(",%d\n", after.tv_sec >= until.tv_sec);
    return 0;
}
