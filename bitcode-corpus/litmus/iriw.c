// Independent reads of independent writes: a store becomes visible to all other threads
// at once, so the two readers agree on the order of the stores (1010 never occurs).
//@ outcomes[sc,tso,pso]: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
//@ executions[sc]: 15

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x, y;
int r0, r1, r2, r3;

static void *first(void *unused) {
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

static void *third(void *unused) {
    (void)unused;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

static void *fourth(void *unused) {
    (void)unused;
    r2 = atomic_load_explicit(&y, memory_order_relaxed);
    r3 = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    pthread_create(&threads[3], NULL, fourth, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d%d\n", r0, r1, r2, r3);
    return 0;
}
