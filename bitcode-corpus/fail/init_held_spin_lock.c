// A spin lock is initialised again while it is held.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE); //~ ERROR: initialisation of a spin lock that is held
    return 0;
}
