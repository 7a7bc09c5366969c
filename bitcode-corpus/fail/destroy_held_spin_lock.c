// A spin lock is destroyed while it is held.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_destroy(&lock); //~ ERROR: destroy of a spin lock that is held
    return 0;
}
