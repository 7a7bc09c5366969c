// A wait with a limit ends no sooner than timers of the same thread go off that it set for an earlier time.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile sig_atomic_t rung;

static void ring(int signal) {
    (void)signal;
    rung = 1;
}

int main(void) {
    struct itimerspec soon = {.it_value = {0, 1000000}};
    struct itimerval shortly = {.it_value = {0, 1000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct pollfd file = {timer, POLLIN, 0};
    timerfd_settime(timer, 0, &soon, NULL);
    printf("%d", poll(&file, 1, 1000));
    // Nothing that the wait is for, and none the less before its end.
    timerfd_settime(timer, 0, &soon, NULL);
    poll(NULL, 0, 100);
    printf(",%d", poll(&file, 1, 0));
    signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &shortly, NULL);
    usleep(100000);
    printf(",%d", rung);
    return 0;
}
