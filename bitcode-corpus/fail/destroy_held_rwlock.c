// A read-write lock is destroyed while it is held.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); //~ ERROR: destroy of a read-write lock that is held
    return 0;
}
