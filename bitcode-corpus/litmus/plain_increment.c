// An increment made of a load and a store loses updates under every model.
//@ outcomes[sc,tso,pso]: 1 2

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;

static void *increment(void *unused) {
    (void)unused;
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&x, seen + 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", x);
    return 0;
}
