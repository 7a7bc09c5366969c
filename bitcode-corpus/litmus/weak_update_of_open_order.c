// An update takes the last of two stores. Although the second is executed after the first, either may be the last, as
// in 2+2W: nothing orders them but relaxed messages.
//@ outcomes[sc,tso]: 1 2 12
//@ outcomes[pso,weak]: 1 2 11 12

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, message;
static int has_message;

static void *first(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&message, 1, memory_order_relaxed);
    return unused;
}

static void *second(void *unused) {
    has_message = atomic_load_explicit(&message, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int last = atomic_fetch_add_explicit(&x, 0, memory_order_relaxed);
    printf(has_message ? "1%d\n" : "%d\n", last);
    return 0;
}
