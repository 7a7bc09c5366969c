// A signal for the child runs the child's handler, not the parent's.
//@ outcomes: 3,0
//@ native
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int signal) { handled = 3; }

int main(void) {
    int status;
    sigset_t blocked, before;
    signal(SIGUSR1, handle);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    pid_t child = fork();
    if (child == 0) {
        while (!handled) sigsuspend(&before);
        _exit(handled);
    }
    kill(child, SIGUSR1);
    wait(&status);
    printf("%d,%d", WEXITSTATUS(status), handled);
    return 0;
}
