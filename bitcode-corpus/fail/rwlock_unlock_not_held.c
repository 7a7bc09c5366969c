// A read-write lock that nobody holds is given back.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_unlock(&lock); //~ ERROR: unlock of a read-write lock by a thread that does not hold it
    return 0;
}
