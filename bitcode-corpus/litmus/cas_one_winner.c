// Two threads compare-and-swap from the same value: exactly one wins.
//@ outcomes[sc,tso,pso]: 012 101

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;
int r0, r1;

static void *first(void *unused) {
    (void)unused;
    int expected = 0;
    r0 = atomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_relaxed,
                                                 memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    int expected = 0;
    r1 = atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_relaxed,
                                                 memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d\n", r0, r1, x);
    return 0;
}
