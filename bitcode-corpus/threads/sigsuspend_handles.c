// sigsuspend lets a signal in, returns after its handler, and puts the mask back.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int handled;

static void handle(int signal) {
    (void)signal;
    handled = 1;
}

int main(void) {
    sigset_t set, none;
    signal(SIGUSR1, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
    sigemptyset(&none);
    int interrupted = sigsuspend(&none) == -1 && errno == EINTR;
    printf("%d,%d\n", interrupted, handled);
    return 0;
}
