// A destroyed spin lock is taken.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_destroy(&lock);
    pthread_spin_lock(&lock); //~ ERROR: use of a destroyed spin lock
    return 0;
}
