// A relaxed read-modify-write carries a release on.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *three(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data;
    return unused;
}

static void *one(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *two(void *unused) {
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_relaxed, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
