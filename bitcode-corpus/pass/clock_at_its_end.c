// After the longest sleep that a time can say, clocks stand still rather than go back.
//@ outcomes: 1
#include <limits.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec longest = {LONG_MAX, 0}, first, second;
    nanosleep(&longest, NULL);
    clock_gettime(CLOCK_MONOTONIC, &first);
    clock_gettime(CLOCK_MONOTONIC, &second);
    printf("%d\n", second.tv_sec > first.tv_sec || (second.tv_sec == first.tv_sec && second.tv_nsec >= first.tv_nsec));
    return 0;
}
