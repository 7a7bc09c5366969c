// What a thread has stored before it sends a signal is there for the handler.
//@ outcomes: 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int stored, seen;

static void look(int number) {
    (void)number;
    seen = stored;
}

static void *handle(void *unused) {
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    return unused;
}

int main(void) {
    pthread_t handling;
    sigset_t signals;
    signal(SIGUSR1, look);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&handling, NULL, handle, NULL);
    stored = 1;
    pthread_kill(handling, SIGUSR1);
    pthread_join(handling, NULL);
    printf("%d\n", seen);
    return 0;
}
