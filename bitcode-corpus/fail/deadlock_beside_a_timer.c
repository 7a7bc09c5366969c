// A timer whose signal nobody takes lets nobody go on, however often its time is up.
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

int main(void) {
    sigset_t blocked, awaited;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec when = {.it_value = {0, 1000000}, .it_interval = {0, 1000000}};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGRTMIN);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGUSR1);
    sigwaitinfo(&awaited, NULL); //~ ERROR: deadlock
    return 0;
}
