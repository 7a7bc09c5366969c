// While its signal is pending, how often a timer's time was up is counted: by the clock, when the signal is taken.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sigset_t set;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec when = {.it_value = {0, 1000000}, .it_interval = {0, 1000}}, left;
    struct timespec twenty_milliseconds = {0, 20000000};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    nanosleep(&twenty_milliseconds, NULL);
    timer_gettime(timer, &left);
    printf("%d", left.it_value.tv_sec == 0 && left.it_value.tv_nsec <= 1000);
    sigwaitinfo(&set, NULL);
    printf(",%d\n", timer_getoverrun(timer) >= 18000);
    timer_delete(timer);
    return 0;
}
