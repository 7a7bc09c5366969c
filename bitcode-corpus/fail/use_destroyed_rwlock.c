// A destroyed read-write lock is taken.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_rdlock(&lock); //~ ERROR: use of a destroyed read-write lock
    return 0;
}
