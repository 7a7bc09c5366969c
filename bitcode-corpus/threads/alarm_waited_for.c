// A thread waits for the timer's signal.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    alarm(1);
    sigwait(&set, &number);
    printf("%d\n", number == SIGALRM);
    return 0;
}
