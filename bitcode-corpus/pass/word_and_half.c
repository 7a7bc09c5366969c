// A word and one of its halves are read together: what a thread sees of each half has its own source.
//@ executions: 6
//@ blocked: 0
//@ outcomes: 007 009 707 709 907 909

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static union {
    _Atomic unsigned long whole;
    _Atomic unsigned int half[2];
} word;
static unsigned long seen;

static void *lower(void *unused) {
    atomic_store_explicit(&word.half[0], 9, memory_order_relaxed);
    return unused;
}

static void *both(void *unused) {
    atomic_store_explicit(&word.whole, 7, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, lower, NULL);
    pthread_create(&threads[1], NULL, both, NULL);
    seen = atomic_load_explicit(&word.half[0], memory_order_relaxed);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%lu%02lu\n", seen, atomic_load(&word.whole));
    return 0;
}
