// Double-checked initialisation with relaxed accesses. A thread sees the pointer before what it points to:
// not on x86, but where stores reach memory out of order.
//
//     symx run --memmodel pso examples/double_checked.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     store-buffer-reordering: T2 use reads config = 0 (double_checked.c:42), while T1 use's store to
//       `config` (:32) is still in the store buffer. Then: assertion failed: get()->workers == 4 (:42).
//     suggested fix: hold `mutex` around double_checked.c:42 in T2 use: `config` is accessed there without
//       it, and elsewhere with it. Verified: no failure in any execution.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
    int workers;
};

static struct config config;
static _Atomic(struct config *) instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void) {
    struct config *known = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!known) {
        pthread_mutex_lock(&mutex);
        known = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!known) {
            config.workers = 4;
            known = &config;
            atomic_store_explicit(&instance, known, memory_order_relaxed);
        }
        pthread_mutex_unlock(&mutex);
    }
    return known;
}

static void *use(void *unused) {
    assert(get()->workers == 4);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, use, NULL);
    pthread_create(&other, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
