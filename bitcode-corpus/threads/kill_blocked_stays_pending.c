// A blocked signal waits, and is handled when it is let in.
//@ outcomes: 0,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

int main(void) {
    sigset_t set, waiting;
    signal(SIGUSR1, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    printf("%d", handled);
    sigpending(&waiting);
    printf(",%d", sigismember(&waiting, SIGUSR1));
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf(",%d\n", handled);
    return 0;
}
