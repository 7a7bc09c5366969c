// A third mutex is held around both orders: they cannot meet, and nothing is said.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
    pthread_mutex_unlock(&gate);
}

static void *run(void *unused) {
    lock_both(&right, &left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    lock_both(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
