// After sleep the clock shows that the time has passed.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec before, after, moment = {.tv_nsec = 2000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    printf("%d", nanosleep(&moment, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec);
    printf(",%d\n", passed >= 2000000);
    return 0;
}
