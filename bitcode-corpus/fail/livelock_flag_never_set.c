// A thread waits in a loop for a flag that nobody ever sets.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *wait(void *unused) {
    while (!atomic_load(&flag)) { //~ ERROR: livelock: T1 wait spins forever
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_join(thread, NULL); //~ NOTE: T0 main waits for the end of T1 wait
    return 0;
}
