// The timers of processor time, each with a signal of its own, can be asked what is left, and each excludes no other.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

int main(void) {
    struct itimerval late = {.it_value = {1000, 0}}, none = {.it_value = {0, 0}}, left;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    sigaddset(&set, SIGPROF);
    sigprocmask(SIG_BLOCK, &set, NULL);
    setitimer(ITIMER_VIRTUAL, &late, NULL);
    printf("%d", getitimer(ITIMER_PROF, &left) == 0 && left.it_value.tv_sec == 0);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    printf(",%d", getitimer(ITIMER_VIRTUAL, &left) == 0 && left.it_value.tv_sec == 0);
    printf(",%d", getitimer(9, &left) == -1 && errno == EINVAL);
    printf(",%d\n", setitimer(-1, &none, NULL) == -1 && errno == EINVAL);
    return 0;
}
