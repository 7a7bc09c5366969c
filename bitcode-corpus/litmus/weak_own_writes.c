// A thread does not see older writes than its own. Two threads agree on the order of their writes.
//@ outcomes[sc,tso,pso,weak]: 11 12 22

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x, y;
int r0, r1;

static void *first(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

static void *second(void *unused) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
