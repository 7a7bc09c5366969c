// Readers share a read-write lock, a writer has it alone.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    printf("%d\n", pthread_rwlock_rdlock(&lock));
    printf("%d\n", pthread_rwlock_tryrdlock(&lock));
    printf("%d\n", pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    printf("%d\n", pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    printf("%d\n", pthread_rwlock_trywrlock(&lock));
    printf("%d\n", pthread_rwlock_tryrdlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    return pthread_rwlock_destroy(&lock);
}
