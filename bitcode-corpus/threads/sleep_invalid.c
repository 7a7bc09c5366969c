// What is no time, and a clock that cannot be slept by.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec none = {.tv_nsec = 1000000000}, negative = {.tv_sec = -1};
    printf("%d", nanosleep(&none, NULL) == -1 && errno == EINVAL);
    printf(",%d", nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    printf(",%d\n", clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL) == EINVAL);
    return 0;
}
