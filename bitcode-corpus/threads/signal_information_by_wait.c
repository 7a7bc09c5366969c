// Who waits for a signal is told how it was sent; that raise sends it to a thread is no difference to him.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    siginfo_t information;
    struct timespec before, after, limit = {0, 20000000};
    union sigval value = {.sival_int = 4};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    printf("%d", sigwaitinfo(&set, &information) == SIGUSR1 && information.si_code == SI_USER);
    sigqueue(getpid(), SIGUSR1, value);
    sigwaitinfo(&set, &information);
    printf(",%d", information.si_code == SI_QUEUE && information.si_value.sival_int == 4);
    clock_gettime(CLOCK_MONOTONIC, &before);
    int none = sigtimedwait(&set, NULL, &limit) == -1;
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    printf(",%d\n", none && passed >= 20000000);
    return 0;
}
