// A thread that changes a number of its own to and fro, until it has a value that it never gets.
#include <pthread.h>

static volatile int number;

static void *change(void *unused) {
    while (number != 2) number = !number; //~ ERROR: livelock: T1 change spins forever
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    return 0;
}
