// Which mutex comes first depends on an unprotected variable: only one outcome of the race blocks.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static volatile int turned;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); //~ ERROR: deadlock
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *run(void *unused) {
    if (turned)
        lock_both(&right, &left);
    else
        lock_both(&left, &right);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    turned = 1;
    lock_both(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
