// A signal to the process's own group reaches the process; a signal that is none, and a group that is none, are refused.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handler(int number) { handled = number; }

int main(void) {
    signal(SIGURG, handler);
    setpgid(0, 0);
    killpg(getpgrp(), SIGURG);
    printf("%d", handled == SIGURG);
    printf(",%d", killpg(getpgrp(), 1000) == -1 && errno == EINVAL);
    printf(",%d\n", killpg(99999999, 0) == -1 && errno == ESRCH);
    return 0;
}
