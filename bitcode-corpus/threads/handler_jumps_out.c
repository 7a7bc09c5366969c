// A handler may leave by a jump, which puts the mask back.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf point;

static void handle(int signal) {
    (void)signal;
    siglongjmp(point, 1);
}

int main(void) {
    sigset_t set;
    signal(SIGUSR1, handle);
    if (sigsetjmp(point, 1) == 0)
        raise(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    printf("%d\n", !sigismember(&set, SIGUSR1));
    return 0;
}
