// What was destroyed is a new object once its static initialiser is assigned, and a once control likewise.
//@ outcomes: 3,0,0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int runs;

static void routine(void) { runs++; }

int main(void) {
    pthread_once_t once;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t lock;
    int locked = 0, signalled = 0, read = 0, destroyed = 0;
    for (int turn = 0; turn < 3; turn++) {
        once = (pthread_once_t)PTHREAD_ONCE_INIT;
        mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        pthread_once(&once, routine);
        pthread_once(&once, routine);
        locked += pthread_mutex_lock(&mutex);
        signalled += pthread_cond_signal(&condition);
        read += pthread_rwlock_rdlock(&lock);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_unlock(&lock);
        destroyed += pthread_mutex_destroy(&mutex) + pthread_cond_destroy(&condition) + pthread_rwlock_destroy(&lock);
    }
    printf("%d,%d,%d,%d,%d\n", runs, locked, signalled, read, destroyed);
    return 0;
}
