// A value sent with a signal may be the int of its union: the rest is never read.
//@ outcomes: 5
//@ native
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    union sigval value;
    value.sival_int = 5;
    sigqueue(getpid(), SIGRTMIN, value);
    siginfo_t information;
    sigwaitinfo(&set, &information);
    printf("%d\n", information.si_value.sival_int);
    return 0;
}
