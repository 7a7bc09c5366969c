// Deadlock only when the second thread runs between the two locks of the first: one of
// the threads tests a flag and usually avoids the wrong order.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int busy;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); //~ ERROR: deadlock
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *careful(void *unused) {
    if (atomic_load(&busy) == 0)
        lock_both(&right, &left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, careful, NULL);
    atomic_store(&busy, 1);
    lock_both(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
