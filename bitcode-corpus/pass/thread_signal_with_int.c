// A value sent to a thread with a signal may be the int of its union: the rest is never read.
//@ outcomes: 5
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    union sigval value;
    value.sival_int = 5;
    pthread_sigqueue(pthread_self(), SIGRTMIN, value);
    siginfo_t information;
    sigwaitinfo(&set, &information);
    printf("%d\n", information.si_value.sival_int);
    return 0;
}
