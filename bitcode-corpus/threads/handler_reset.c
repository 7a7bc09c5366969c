// An action that is reset holds for one signal.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static void handle(int signal) {
    (void)signal;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESETHAND}, now;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &now);
    printf("%d", now.sa_handler == handle);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &now);
    printf(",%d\n", now.sa_handler == SIG_DFL);
    return 0;
}
