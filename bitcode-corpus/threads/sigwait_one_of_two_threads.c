// A signal to the process goes to one thread that waits for it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int taken;

static void *run(void *set) {
    int number;
    sigwait(set, &number);
    __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, run, &set);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d\n", taken);
    return 0;
}
