// A spin lock is given back by a thread that does not hold it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_spinlock_t lock;

static void *unlock(void *unused) {
    pthread_spin_unlock(&lock); //~ ERROR: unlock
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_create(&thread, NULL, unlock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
