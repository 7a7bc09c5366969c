// A lock that is one atomic exchange, given back by whoever takes it.
//@ outcomes: 2
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int lock;
static int counter;

static void *increment(void *unused) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
    }
    counter++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
