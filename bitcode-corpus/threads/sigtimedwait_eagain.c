// When its time is up, a wait for signals fails.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sigset_t set;
    struct timespec moment = {.tv_nsec = 1000};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    printf("%d\n", sigtimedwait(&set, NULL, &moment) == -1 && errno == EAGAIN);
    return 0;
}
