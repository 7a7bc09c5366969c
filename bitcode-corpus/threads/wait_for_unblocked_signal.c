// A thread waits for a signal that it does not block. Until the wait begins the handler gets the signal, then the wait
// does, and behind it the handler again.
//@ outcomes: - -h h- w
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void handle(int signal) {
    (void)signal;
    write(1, "h", 1);
}

static void *wait_for_signal(void *unused) {
    sigset_t set;
    struct timespec limit = {0, 100000};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    write(1, sigtimedwait(&set, NULL, &limit) == SIGUSR1 ? "w" : "-", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, wait_for_signal, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
