// A load never reads a later store of its own thread.
//@ outcomes[sc,tso,pso,weak]: 00 01

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;
int r0, r1;

static void *first(void *unused) {
    (void)unused;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
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
