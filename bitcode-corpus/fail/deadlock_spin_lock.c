// A spin lock taken twice by one thread.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); //~ ERROR: deadlock
    return 0;
}
