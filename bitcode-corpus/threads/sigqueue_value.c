// A queued signal carries a value to its handler.
//@ outcomes: 7,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int value, queued;

static void handle(int signal, siginfo_t *information, void *context) {
    (void)signal;
    (void)context;
    value = information->si_value.sival_int;
    queued = information->si_code == SI_QUEUE;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7});
    printf("%d,%d\n", value, queued);
    return 0;
}
