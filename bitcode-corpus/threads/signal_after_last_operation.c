// A thread whose routine has nothing left to do gets signals until its end: the handler runs before it, or not at all.
//@ outcomes: 0 2 0h 2h h0 h2
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ready;

static void handle(int signal) {
    (void)signal;
    write(1, "h", 1);
}

static void *get_ready(void *unused) {
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, get_ready, NULL);
    int was_ready = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    pthread_kill(thread, SIGUSR1);
    write(1, was_ready ? "2" : "0", 1);
    pthread_join(thread, NULL);
    return 0;
}
