// What the parent stores after creating a thread races with it; what it stored before does not.
//@ outcomes[sc,tso]: 100 101 111
//@ outcomes[pso]: 100 101 110 111

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int before, x, y;
int r0, r1, r2;

static void *child(void *unused) {
    (void)unused;
    r0 = atomic_load_explicit(&before, memory_order_relaxed);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t thread;
    atomic_store_explicit(&before, 1, memory_order_relaxed);
    pthread_create(&thread, NULL, child, NULL);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    printf("%d%d%d\n", r0, r1, r2);
    return 0;
}
