// The same with a turn that is passed on by a relaxed store.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_uint drawn, turn;
int data;

static void *one(void *unused) {
    unsigned mine = atomic_fetch_add_explicit(&drawn, 1, memory_order_relaxed);
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
        ;
    data++; //~ ERROR: data race on `data`
    atomic_store_explicit(&turn, mine + 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
