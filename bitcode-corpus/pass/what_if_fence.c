// Store buffering with a fence in either thread, as is assumed.
//@ flags: --what-if fence:what_if_fence.c:13 --what-if fence:what_if_fence.c:19
//@ outcomes: 01 10 11
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int saw_y, saw_x;

static void *one(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    saw_y = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *other(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    saw_x = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d%d\n", saw_y, saw_x);
    return 0;
}
