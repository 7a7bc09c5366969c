// A lock made with attributes, used, destroyed and made anew.
//@ outcomes: 0,0,0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlock_t lock;
    printf("%d", pthread_rwlockattr_init(&attributes));
    printf(",%d", pthread_rwlock_init(&lock, &attributes));
    printf(",%d", pthread_rwlockattr_destroy(&attributes));
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    printf(",%d", pthread_rwlock_destroy(&lock));
    printf(",%d\n", pthread_rwlock_init(&lock, NULL));
    pthread_rwlock_destroy(&lock);
    return 0;
}
