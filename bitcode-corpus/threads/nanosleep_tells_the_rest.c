// A signal that a timer sends ends a sleep when the timer's time has come; the rest is what was left then.
//@ outcomes: 1,1 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static void handle(int signal) {
    (void)signal;
}

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec when = {.it_value = {0, 100000000}};
    struct timespec sleep = {2, 0}, rest = {1, 950000000};
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    int interrupted = nanosleep(&sleep, &rest) == -1 && errno == EINTR;
    printf("%d,%d\n", interrupted, !interrupted || rest.tv_sec == 1 && rest.tv_nsec < 950000000);
    return 0;
}
