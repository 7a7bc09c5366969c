// Setting a timer to nothing takes it back, and says that it was set, unless it has gone off.
//@ outcomes: 1,0 0,0
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

int main(void) {
    sigset_t set;
    signal(SIGALRM, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    alarm(100);
    printf("%d", alarm(0) > 0);
    printf(",%d\n", handled);
    return 0;
}
