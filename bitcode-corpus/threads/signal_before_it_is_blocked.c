// A signal that is sent before its receiver blocks it runs its handler, though nothing else of the receiver
// is visible.
//@ outcomes: 0 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t handled;

static void handle(int signal) {
    (void)signal;
    handled = 1;
}

static void *block(void *unused) {
    (void)unused;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, block, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d\n", handled);
    return 0;
}
