// Atomics do not race with each other, whatever their ordering.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *one(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    atomic_store_explicit(&x, 7, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
