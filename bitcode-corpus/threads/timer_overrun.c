// Of one timer one signal is pending at most; the others are counted.
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
    struct itimerspec when = {.it_value = {0, 1000000}};
    struct timespec none = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    printf("%d", sigwaitinfo(&set, NULL) == SIGRTMIN && timer_getoverrun(timer) == 0);
    timer_delete(timer);
    printf(",%d\n", sigtimedwait(&set, NULL, &none) == -1);
    return 0;
}
