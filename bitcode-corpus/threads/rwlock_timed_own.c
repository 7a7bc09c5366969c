// A writer that asks for the lock again is told, with a deadline, too.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec past = {.tv_sec = 1};
    pthread_rwlock_wrlock(&lock);
    printf("%d", pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK);
    printf(",%d", pthread_rwlock_timedwrlock(&lock, &past) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    printf(",%d\n", pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    pthread_rwlock_unlock(&lock);
    return 0;
}
