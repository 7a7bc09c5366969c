// A thread waits in a loop for a flag that nobody ever sets.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *wait(void *unused) {
    while (!atomic_load(&flag)) { //~ ERROR: livelock: thread 0.1 spins forever
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_join(thread, NULL); //~ NOTE: thread 0 waits for the end of thread 0.1
    return 0;
}
