// A writer that locks again would wait for itself and is told.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_wrlock(&lock);
    printf("%d", pthread_rwlock_wrlock(&lock) == EDEADLK);
    printf(",%d", pthread_rwlock_rdlock(&lock) == EDEADLK);
    printf(",%d\n", pthread_rwlock_tryrdlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    return 0;
}
