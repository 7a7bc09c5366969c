// A lock of two counters: a ticket is drawn, and its turn waited for with acquiring loads.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_uint drawn, turn;
int data;

static void *one(void *unused) {
    unsigned mine = atomic_fetch_add_explicit(&drawn, 1, memory_order_relaxed);
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
        ;
    data++;
    atomic_store_explicit(&turn, mine + 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return data - 2;
}
