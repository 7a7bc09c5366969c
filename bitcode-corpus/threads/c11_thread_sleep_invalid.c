// What is no time is refused.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>
#include <time.h>

int main(void) {
    struct timespec none = {.tv_nsec = 1000000000};
    printf("%d\n", thrd_sleep(&none, NULL) < -1);
    return 0;
}
