// Two stores that nothing orders: which one comes last is open until a load tells, and then it stays told.
//@ outcomes[sc,tso,pso,weak]: 11 22

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *first(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *second(void *unused) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int r0 = atomic_load_explicit(&x, memory_order_relaxed);
    int r1 = atomic_load_explicit(&x, memory_order_relaxed);
    printf("%d%d\n", r0, r1);
    return 0;
}
