// A signal without a handler ends the child wherever it is.
//@ outcomes: 1,15
//@ native
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    pid_t child = fork();
    if (child == 0)
        for (;;) pause();
    kill(child, SIGTERM);
    wait(&status);
    printf("%d,%d", WIFSIGNALED(status), WTERMSIG(status));
    return 0;
}
