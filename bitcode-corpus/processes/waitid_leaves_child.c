// With WNOWAIT the child can be waited for again.
//@ outcomes: 1,3,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    siginfo_t information;
    pid_t child = fork();
    if (child == 0) _exit(3);
    waitid(P_PID, child, &information, WEXITED | WNOWAIT);
    printf("%d,%d,", information.si_pid == child, information.si_status);
    printf("%d", waitpid(child, 0, 0) == child);
    return 0;
}
