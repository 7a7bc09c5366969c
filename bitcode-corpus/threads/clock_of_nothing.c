// A clock that does not exist cannot be read.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec time;
    printf("%d", clock_gettime(99, &time) == -1 && errno == EINVAL);
    printf(",%d\n", clock_getres(99, &time) == -1 && errno == EINVAL);
    return 0;
}
