// Two threads read blocked signals of the process: each gets one, in either order.
//@ outcomes: 12,10 10,12
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int file;

static void *take(void *unused) {
    (void)unused;
    struct signalfd_siginfo found;
    read(file, &found, sizeof found);
    return (void *)(uintptr_t)found.ssi_signo;
}

int main(void) {
    sigset_t set;
    pthread_t thread;
    void *other;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    file = signalfd(-1, &set, 0);
    pthread_create(&thread, NULL, take, NULL);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    uintptr_t mine = (uintptr_t)take(NULL);
    pthread_join(thread, &other);
    printf("%d,%d", (int)mine, (int)(uintptr_t)other);
    return 0;
}
