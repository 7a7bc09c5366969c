// A child that has ended takes signals until it has been waited for.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    siginfo_t information;
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitid(P_PID, child, &information, WEXITED | WNOWAIT);
    printf("%d,", kill(child, SIGTERM));
    waitpid(child, 0, 0);
    printf("%d", kill(child, SIGTERM) == -1 && errno == ESRCH);
    return 0;
}
