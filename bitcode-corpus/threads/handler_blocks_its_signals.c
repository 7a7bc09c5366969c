// While a handler runs, its own signal and those of its action's mask wait.
//@ outcomes: 12
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int order;

static void handle_second(int signal) {
    (void)signal;
    order = order * 10 + 2;
}

static void handle_first(int signal) {
    (void)signal;
    raise(SIGUSR2);
    order = order * 10 + 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle_first};
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, handle_second);
    raise(SIGUSR1);
    printf("%d\n", order);
    return 0;
}
