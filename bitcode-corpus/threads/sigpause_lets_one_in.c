// sigpause waits for the signal it names, and for others that are not blocked; then the mask is what it was.
//@ outcomes: 1,1,1,1
//@ native
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int handled;

static void handle(int signal) {
    handled = signal;
}

int main(void) {
    sigset_t mask;
    signal(SIGUSR1, handle);
    sighold(SIGUSR1);
    raise(SIGUSR1);
    printf("%d", handled == 0);
    printf(",%d", sigpause(SIGUSR1) == -1 && errno == EINTR && handled == SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf(",%d", sigismember(&mask, SIGUSR1));
    printf(",%d\n", sigpause(-1) == -1 && errno == EINVAL);
    return 0;
}
