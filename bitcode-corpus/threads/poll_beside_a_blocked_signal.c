// A signal that comes while its receiver blocks it and waits with a time limit makes the wait no longer.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sigset_t set;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec when = {.it_value = {0, 900000000}};
    struct timespec before, after;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    clock_gettime(CLOCK_MONOTONIC, &before);
    timer_settime(timer, 0, &when, NULL);
    poll(NULL, 0, 1000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long elapsed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    printf("%d\n", elapsed >= 1000 && elapsed < 1800);
    return 0;
}
