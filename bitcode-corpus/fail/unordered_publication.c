// A pointer published before the data it leads to, when stores may be reordered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data;
static _Atomic(atomic_int *) published;

static void *publish(void *unused) {
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&published, &data, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    atomic_int *p = atomic_load_explicit(&published, memory_order_relaxed);
    if (p != NULL)
        assert(atomic_load_explicit(p, memory_order_relaxed) == 42); //~[pso] ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
