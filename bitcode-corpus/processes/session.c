// A child begins a session of its own, once: then it leads a group.
//@ outcomes: 1,1,1,1,1
//@ native
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t before = getpgrp();
    if (fork() == 0) {
        printf("%d,", getpgrp() == before);
        printf("%d,", setsid() == getpid());
        printf("%d,", getpgrp() == getpid() && getpgid(getpid()) == getpid());
        printf("%d,", getsid(0) == getpid());
        printf("%d", setsid() == -1 && errno == EPERM);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    return getpgrp() != before;
}
