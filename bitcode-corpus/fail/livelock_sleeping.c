// A thread sleeps until a flag is set that nobody ever sets; another one only takes it back.
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int flag;
static const struct timespec nap = {0, 1000};

static void *wait(void *unused) {
    while (!atomic_load(&flag))
        nanosleep(&nap, NULL); //~ ERROR: livelock: T1 wait spins forever
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&flag, 0);
    pthread_join(thread, NULL);
    return 0;
}
