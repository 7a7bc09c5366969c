// Main looks at what two threads write before it joins them: that they have ended orders nothing.
//@ outcomes[sc,tso,pso]: 1122 1123 1132 1222 1232 1323 2122 2123 2222 2323 3232
//@ executions[sc]: 11

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x = 1, y = 1;

static int load(atomic_int *variable) {
    return atomic_load_explicit(variable, memory_order_relaxed);
}

static void *first(void *unused) {
    (void)unused;
    atomic_store_explicit(&x, load(&x) + load(&y), memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    atomic_store_explicit(&y, load(&y) + load(&x), memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    int seen_x = load(&x);
    int seen_y = load(&y);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d%d\n", seen_x, seen_y, load(&x), load(&y));
    return 0;
}
