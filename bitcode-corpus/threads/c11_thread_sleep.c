// thrd_sleep sleeps as long as asked, and thrd_yield lets others run.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>
#include <time.h>

int main(void) {
    struct timespec moment = {.tv_nsec = 1000};
    thrd_yield();
    printf("%d\n", thrd_sleep(&moment, NULL));
    return 0;
}
