// What goes with a signal need not be given where nobody asks for it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    timer_t timer;
    sigset_t set;
    struct sigevent event;
    struct itimerspec when = {.it_value = {0, 1000000}};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    printf("%d\n", sigwaitinfo(&set, NULL) == SIGUSR1);
    return 0;
}
