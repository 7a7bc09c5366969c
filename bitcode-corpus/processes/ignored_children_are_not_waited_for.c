// A process that ignores SIGCHLD waits for the end of all children, and finds none.
//@ outcomes: 1
//@ native
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) _exit(0);
    printf("%d", wait(0) == -1 && errno == ECHILD);
    return 0;
}
