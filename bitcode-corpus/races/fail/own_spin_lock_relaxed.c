// The same without orderings excludes, but orders nothing.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *one(void *unused) {
    if (atomic_exchange_explicit(&flag, 1, memory_order_relaxed) == 0) {
        data++; //~ ERROR: data race on `data`
        atomic_store_explicit(&flag, 0, memory_order_relaxed);
    }
    return unused;
}

static void *two(void *unused) {
    if (atomic_exchange_explicit(&flag, 1, memory_order_relaxed) == 0) {
        data++;
        atomic_store_explicit(&flag, 0, memory_order_relaxed);
    }
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
