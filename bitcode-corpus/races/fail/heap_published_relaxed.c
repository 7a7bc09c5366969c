// The same with relaxed accesses: what the block holds is not ordered.
//@ flags: --check race,memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) place;
int seen;

static void *one(void *unused) {
    int *block = malloc(sizeof *block);
    *block = 1; //~ ERROR: data race on `*block
    atomic_store_explicit(&place, block, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    int *block = atomic_load_explicit(&place, memory_order_relaxed);
    if (block)
        seen = *block;
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
