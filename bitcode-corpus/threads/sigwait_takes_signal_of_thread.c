// A thread waits for a signal that another sends it.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int error, is_first;

static void *run(void *set) {
    int number;
    error = sigwait(set, &number);
    is_first = number == SIGUSR1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, run, &set);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d,%d\n", error, is_first);
    return 0;
}
