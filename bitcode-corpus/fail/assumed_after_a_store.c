// A thread stores, gives a lock back and creates another thread before an assumption that never holds: each can be found.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int condition);

static atomic_int stored;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *store(void *unused) {
    stored = 1;
    __VERIFIER_assume(0);
    return unused;
}

static void *created(void *unused) {
    assert(stored); //~ ERROR: assertion failed: stored
    return unused;
}

static void *give_back(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    __VERIFIER_assume(0);
    return unused;
}

static void *create(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, created, NULL);
    __VERIFIER_assume(0);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_mutex_lock(&lock);
    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, give_back, NULL);
    pthread_create(&threads[2], NULL, create, NULL);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(!stored); //~ ERROR: assertion failed: !stored
    return 0;
}
