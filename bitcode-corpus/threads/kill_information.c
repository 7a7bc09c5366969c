// A handler is told how a signal was sent, and by which process.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int code, sender;

static void handle(int signal, siginfo_t *information, void *context) {
    (void)signal;
    (void)context;
    code = information->si_code;
    sender = information->si_pid;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    int to_thread = code == SI_TKILL;
    kill(getpid(), SIGUSR1);
    printf("%d,%d\n", to_thread, code == SI_USER && sender == getpid());
    return 0;
}
