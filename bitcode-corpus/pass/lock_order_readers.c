// Readers of two locks in opposite orders never wait for each other.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t left = PTHREAD_RWLOCK_INITIALIZER, right = PTHREAD_RWLOCK_INITIALIZER;

static void read_both(pthread_rwlock_t *one, pthread_rwlock_t *other) {
    pthread_rwlock_rdlock(one);
    pthread_rwlock_rdlock(other);
    pthread_rwlock_unlock(other);
    pthread_rwlock_unlock(one);
}

static void *run(void *unused) {
    read_both(&right, &left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    read_both(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
