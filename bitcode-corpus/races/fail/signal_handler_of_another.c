// volatile sig_atomic_t is for a thread and its own handlers, not for threads.
//@ flags: --check race
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void handle(int number) {
    caught = number; //~ ERROR: data race on `caught`
}

static void *one(void *unused) {
    raise(SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, one, NULL);
    int seen = caught;
    pthread_join(thread, NULL);
    return seen > SIGUSR1;
}
