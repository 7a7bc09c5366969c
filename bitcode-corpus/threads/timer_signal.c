// A timer sends its signal with its value; what is left of it can be asked, and it can be taken away.
//@ outcomes: 1,1,1,1,0 1,1,1,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sigset_t set;
    siginfo_t information;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec when = {.it_value = {0, 20000000}}, left;
    event.sigev_value.sival_int = 42;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    int number = sigwaitinfo(&set, &information);
    printf("%d,%d", number == SIGUSR1, information.si_value.sival_int == 42 && information.si_code == SI_TIMER);
    timer_gettime(timer, &left);
    printf(",%d", left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    when.it_value.tv_sec = 1000;
    timer_settime(timer, 0, &when, NULL);
    timer_gettime(timer, &left);
    printf(",%d", left.it_value.tv_sec >= 999);
    printf(",%d\n", timer_delete(timer));
    return 0;
}
