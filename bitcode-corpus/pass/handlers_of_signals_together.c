// Handlers of signals that come together: each has a frame before any runs, so the last one runs first.
//@ outcomes: 4321,21,21
//@ native
#include <signal.h>
#include <stdio.h>

static int order;

static void handle(int signal) {
    const int numbers[] = {SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN + 1};
    for (int index = 0; index < 4; index++)
        if (signal == numbers[index])
            order = order * 10 + index + 1;
}

int main(void) {
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    const int numbers[] = {SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN + 1};
    for (int index = 0; index < 4; index++) {
        signal(numbers[index], handle);
        sigaddset(&set, numbers[index]);
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int index = 0; index < 4; index++)
        raise(numbers[index]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    int unblocked = order;
    order = 0;
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    raise(SIGUSR2);
    sigsuspend(&none);
    int suspended = order;
    order = 0;
    raise(SIGUSR2);
    raise(SIGUSR1);
    sigsuspend(&none);
    printf("%d,%d,%d\n", unblocked, suspended, order);
    return 0;
}
