// A new thread blocks what its creator blocks; signals that wait for its creator do not wait for it.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int blocked, waiting;

static void *run(void *unused) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    blocked = sigismember(&set, SIGUSR1);
    sigpending(&set);
    waiting = sigismember(&set, SIGUSR1);
    return unused;
}

int main(void) {
    sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d,%d\n", blocked, waiting);
    return 0;
}
