// A thread sleeps again and again and looks at nothing; who waits for its end waits for ever.
//@ again: --reduction source-sets
#include <pthread.h>
#include <unistd.h>

static void *nap(void *unused) {
    for (;;)
        usleep(100); //~ ERROR: livelock: T1 nap spins forever
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nap, NULL);
    pthread_join(thread, NULL);
    return 0;
}
