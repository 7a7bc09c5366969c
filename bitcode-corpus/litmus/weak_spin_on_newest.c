// Loads have fixed that the store of 1 comes after that of 2, whichever was executed first. A thread that
// waits for 1 finds it in the end.
//@ outcomes[sc,tso,pso,weak]: 0 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, is_fixed;
static int waited;

static void *store_one(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *store_two(void *unused) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return unused;
}

static void *look_twice(void *unused) {
    int first = atomic_load_explicit(&x, memory_order_relaxed);
    int second = atomic_load_explicit(&x, memory_order_relaxed);
    if (first == 2 && second == 1)
        atomic_store_explicit(&is_fixed, 1, memory_order_relaxed);
    return unused;
}

static void *wait_for_one(void *unused) {
    if (atomic_load_explicit(&is_fixed, memory_order_relaxed)) {
        while (atomic_load_explicit(&x, memory_order_relaxed) != 1)
            ;
        waited = 1;
    }
    return unused;
}

int main(void) {
    void *(*work[])(void *) = {store_one, store_two, look_twice, wait_for_one};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", waited);
    return 0;
}
