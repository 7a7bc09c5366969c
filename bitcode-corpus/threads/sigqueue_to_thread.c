// pthread_sigqueue sends to a thread, with a value.
//@ outcomes: 9,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int value, code;

static void *run(void *set) {
    siginfo_t information;
    sigwaitinfo(set, &information);
    value = information.si_value.sival_int;
    code = information.si_code;
    return NULL;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, run, &set);
    pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 9});
    pthread_join(thread, NULL);
    printf("%d,%d\n", value, code == SI_QUEUE);
    return 0;
}
