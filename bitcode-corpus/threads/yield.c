// Yielding never fails.
//@ outcomes: 0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    printf("%d,%d,%d\n", sched_yield(), sched_yield(), 0);
    return 0;
}
