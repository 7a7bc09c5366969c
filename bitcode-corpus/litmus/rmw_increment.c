// Two atomic additions: none is lost.
//@ outcomes[sc,tso,pso]: 012 102

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;
int r0, r1;

static void *first(void *unused) {
    (void)unused;
    r0 = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    r1 = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
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
