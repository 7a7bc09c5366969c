// A signal sent by the kernel's number for kill interrupts a thread at any of its steps, as one by kill does.
//@ outcomes: 0 1 2
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int step, seen = -1;

static void handle(int signal) {
    (void)signal;
    seen = step;
}

static void *run(void *unused) {
    step = 1;
    step = 2;
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t blocked;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, run, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    syscall(SYS_kill, getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    printf("%d\n", seen);
    return 0;
}
