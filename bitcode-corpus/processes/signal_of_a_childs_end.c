// The parent gets SIGCHLD, whose handler learns which child has ended.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count;
static volatile pid_t sender;

static void handle(int signal, siginfo_t *information, void *context) {
    count++;
    sender = information->si_pid;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t blocked, before;
    sigaction(SIGCHLD, &action, 0);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    pid_t child = fork();
    if (child == 0) _exit(0);
    while (!count) sigsuspend(&before);
    printf("%d,%d", count, sender == child);
    wait(0);
    return 0;
}
