// A word store is one step: nobody sees half of it, whatever the model.
//@ outcomes[sc,tso,pso]: 00 01 11

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

union word {
    _Atomic unsigned short whole;
    _Atomic unsigned char half[2];
} word;
int low, high;

static void *writer(void *unused) {
    (void)unused;
    atomic_store_explicit(&word.whole, 0x0101, memory_order_relaxed);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    low = atomic_load_explicit(&word.half[0], memory_order_relaxed);
    high = atomic_load_explicit(&word.half[1], memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", low, high);
    return 0;
}
