// Real-time signals are all delivered, in order; others are pending once.
//@ outcomes: 1,2,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    siginfo_t first, second, other;
    struct timespec moment = {0};
    int number = SIGRTMIN + 2;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int value = 1; value <= 2; value++) {
        sigqueue(getpid(), number, (union sigval){.sival_int = value});
        sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = value});
    }
    sigwaitinfo(&set, &other);
    sigwaitinfo(&set, &first);
    sigwaitinfo(&set, &second);
    printf("%d,%d", first.si_value.sival_int, second.si_value.sival_int);
    printf(",%d\n", sigtimedwait(&set, NULL, &moment) == -1);
    return 0;
}
