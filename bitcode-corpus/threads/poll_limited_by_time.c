// A wait for descriptors with a limit ends.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    printf("%d", poll(NULL, 0, 2));
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec);
    printf(",%d\n", passed >= 2000000);
    return 0;
}
