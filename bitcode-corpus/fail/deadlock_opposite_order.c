// Two threads take two mutexes in opposite order.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); //~ ERROR: deadlock
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *leftwards(void *unused) {
    lock_both(&right, &left);
    return unused;
}

static void *rightwards(void *unused) {
    lock_both(&left, &right);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, leftwards, NULL);
    pthread_create(&threads[1], NULL, rightwards, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
