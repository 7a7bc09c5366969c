// A thread that ends does not flush its buffer: another thread, told of the end through
// a variable stored last, sees all of it in order; told through the earlier one, not yet.
// Only joining waits for the buffer.
//@ outcomes[sc,tso]: 00 01 11
//@ outcomes[pso]: 00 01 10 11

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int result, finished;
int r0, r1;

static void *worker(void *unused) {
    (void)unused;
    atomic_store_explicit(&result, 1, memory_order_relaxed);
    atomic_store_explicit(&finished, 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    r0 = atomic_load_explicit(&finished, memory_order_relaxed);
    r1 = atomic_load_explicit(&result, memory_order_relaxed);
    pthread_join(thread, NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
