// Two threads store a word, two others update a byte each: they take their bytes from the same word.
//@ outcomes[sc,tso,pso,weak]: 11 22

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Alignas(2) union {
    atomic_ushort word;
    atomic_uchar bytes[2];
} x;
static int r0, r1;

static void *store(void *word) {
    atomic_store_explicit(&x.word, *(unsigned short *)word, memory_order_relaxed);
    return NULL;
}

static void *take_low(void *unused) {
    r0 = atomic_exchange_explicit(&x.bytes[0], 7, memory_order_relaxed);
    return unused;
}

static void *take_high(void *unused) {
    r1 = atomic_exchange_explicit(&x.bytes[1], 7, memory_order_relaxed);
    return unused;
}

static void join_both(pthread_t *threads) {
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(void) {
    unsigned short first = 0x0101, second = 0x0202;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, store, &first);
    pthread_create(&threads[1], NULL, store, &second);
    join_both(threads);
    pthread_create(&threads[0], NULL, take_low, NULL);
    pthread_create(&threads[1], NULL, take_high, NULL);
    join_both(threads);
    printf("%d%d\n", r0, r1);
    return 0;
}
