// A read-write lock is initialised again while it is held.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_init(&lock, NULL); //~ ERROR: initialisation of a read-write lock that is held
    return 0;
}
