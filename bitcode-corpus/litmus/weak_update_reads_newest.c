// An update reads the newest store, which need not be the one executed last. That of 2 is executed after that of 1, but
// a reader that has seen 2 and then 1 has fixed that 1 is newer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, stored;

static void *store(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&stored, 1, memory_order_relaxed);
    return unused;
}

static void *store_then(void *unused) {
    if (atomic_load_explicit(&stored, memory_order_relaxed))
        atomic_store_explicit(&x, 2, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, store, NULL);
    pthread_create(&second, NULL, store_then, NULL);
    int one = atomic_load_explicit(&x, memory_order_relaxed);
    int other = atomic_load_explicit(&x, memory_order_relaxed);
    int newest = atomic_fetch_add_explicit(&x, 10, memory_order_relaxed);
    assert(!(one == 2 && other == 1 && newest == 1)); //~[pso,weak] ERROR: assertion failed
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
