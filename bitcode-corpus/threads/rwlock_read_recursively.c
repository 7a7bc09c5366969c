// A reader may take the lock again, and holds it until it has given it back as often.
//@ outcomes: 0,0,0,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    printf("%d", pthread_rwlock_rdlock(&lock));
    printf(",%d", pthread_rwlock_rdlock(&lock));
    printf(",%d", pthread_rwlock_unlock(&lock));
    printf(",%d", pthread_rwlock_trywrlock(&lock) == EBUSY);
    printf(",%d\n", pthread_rwlock_unlock(&lock));
    pthread_rwlock_destroy(&lock);
    return 0;
}
