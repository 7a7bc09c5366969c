// Two readers agree on the order in which two threads stored to one variable.
//@ outcomes[sc,tso,pso,weak]: 0000 0001 0002 0011 0012 0021 0022 0100 0101 0102 0111 0112 0121 0122 0200 0201 0202 0211 0212 0221 0222 1100 1101 1102 1111 1112 1121 1122 1200 1201 1202 1211 1212 1222 2100 2101 2102 2111 2121 2122 2200 2201 2202 2211 2212 2221 2222

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;
int r0, r1, r2, r3;

static void *first(void *unused) {
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return NULL;
}

static void *third(void *unused) {
    (void)unused;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

static void *fourth(void *unused) {
    (void)unused;
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
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
