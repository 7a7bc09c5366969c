// A timer's signal says how often the timer went off meanwhile; a handler that was reset leaves its flags.
//@ outcomes: 0,0,1
//@ native
#include <signal.h>
#include <stdio.h>
#include <time.h>

static void handle(int signal) { (void)signal; }

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    struct itimerspec once = {.it_value.tv_nsec = 1000000};
    timer_settime(timer, 0, &once, NULL);
    siginfo_t information;
    sigwaitinfo(&set, &information);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESETHAND}, after;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &after);
    printf("%d,%d,%d\n", information.si_overrun, timer_getoverrun(timer), (after.sa_flags & (int)SA_RESETHAND) != 0);
    return 0;
}
