// Relaxed stores without end that wait in a buffer that is not drained.
// options: --memmodel pso
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x[64], seen;
static void *stores(void *unused) {
    for (int i = 0;; i++) atomic_store_explicit(&x[i % 64], i, memory_order_relaxed);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, stores, NULL);
    for (int i = 0; i < 64; i++) atomic_fetch_add(&seen, atomic_load(&x[i]));
    pthread_join(thread, NULL);
    return 0;
}
