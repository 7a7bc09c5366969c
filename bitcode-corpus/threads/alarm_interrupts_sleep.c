// A timer's signal ends sleep, or comes before it; a longer sleep does not end before it comes.
//@ outcomes: 1,1 0,1
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

int main(void) {
    signal(SIGALRM, handle);
    alarm(1);
    struct timespec long_time = {.tv_sec = 100};
    int interrupted = nanosleep(&long_time, NULL) == -1;
    printf("%d,%d\n", interrupted, handled);
    return 0;
}
