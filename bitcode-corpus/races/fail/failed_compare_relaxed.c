// A compare-exchange that fails has its own, relaxed ordering.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *one(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *two(void *unused) {
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel, memory_order_relaxed))
        seen = data; //~ ERROR: data race on `data`
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
