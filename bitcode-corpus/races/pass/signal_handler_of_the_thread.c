// A handler interrupts its own thread: that is no other thread.
//@ flags: --check race
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void handle(int number) {
    caught = number;
}

static void *one(void *unused) {
    caught = 0;
    raise(SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, one, NULL);
    pthread_join(thread, NULL);
    return caught != SIGUSR1;
}
