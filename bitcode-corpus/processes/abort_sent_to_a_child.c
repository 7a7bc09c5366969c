// A child that another process sends SIGABRT ends by it: that is no failure of the child.
//@ outcomes: 1,6
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
    kill(child, SIGABRT);
    wait(&status);
    printf("%d,%d", WIFSIGNALED(status), WTERMSIG(status));
    return 0;
}
