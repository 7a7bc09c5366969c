// A handler comes between two stores to memory that only its thread touches.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile int low, high;

static void handle(int signal) {
    (void)signal;
    assert(low == high); //~ ERROR: assertion
}

static void *count(void *unused) {
    low++;
    high++;
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, count, NULL);
    pthread_kill(thread, SIGUSR1);
    return pthread_join(thread, NULL);
}
