// One thread takes two mutexes in both orders, one after the other.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

int main(void) {
    lock_both(&left, &right);
    lock_both(&right, &left);
    return 0;
}
