// A thread ends while it holds a mutex, unless another thread unlocks it before. Both are misuse.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int ended;

static void destroy(void *value) {
    __atomic_fetch_add((int *)value, 1, __ATOMIC_RELAXED);
}

static void *lock(void *unused) {
    const struct timespec past = {1, 0};
    pthread_mutex_timedlock(&mutex, &past);
    pthread_setspecific(key, &ended);
    return unused;
}

static void *unlock(void *unused) {
    pthread_mutex_unlock(&mutex); //~ ERROR: unlock by a thread that does not own the mutex
    return unused;
}

int main(void) {
    pthread_t locking, unlocking;
    pthread_key_create(&key, destroy);
    pthread_create(&locking, NULL, lock, NULL); //~ ERROR: the thread ends while it holds the mutex
    pthread_create(&unlocking, NULL, unlock, NULL);
    pthread_join(locking, NULL);
    return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}
