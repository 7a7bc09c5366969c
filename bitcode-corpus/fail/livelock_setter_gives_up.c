// The thread that is to set the flag ends without doing so if it comes late.
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, stopped;

static void *wait(void *unused) {
    while (!atomic_load(&flag)) { //~ ERROR: livelock: T1 wait spins forever
    }
    return unused;
}

static void *set(void *unused) {
    if (!atomic_load(&stopped))
        atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t waiter, setter;
    pthread_create(&waiter, NULL, wait, NULL);
    pthread_create(&setter, NULL, set, NULL);
    atomic_store(&stopped, 1);
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
