// How a mask is to be changed is one of three.
//@ outcomes: 1,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int main(void) {
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    printf("%d", pthread_sigmask(99, &set, NULL) == EINVAL);
    pthread_sigmask(SIG_SETMASK, &set, &old);
    printf(",%d", sigismember(&old, SIGUSR2));
    pthread_sigmask(SIG_BLOCK, NULL, &old);
    printf(",%d\n", sigismember(&old, SIGUSR2));
    return 0;
}
