// Load buffering around a ring of three threads.
//@ outcomes[sc,tso,pso]: 000 001 010 011 100 101 110

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x, y, z;
int r0, r1, r2;

static void *first(void *unused) {
    (void)unused;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&z, 1, memory_order_relaxed);
    return NULL;
}

static void *third(void *unused) {
    (void)unused;
    r2 = atomic_load_explicit(&z, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d\n", r0, r1, r2);
    return 0;
}
