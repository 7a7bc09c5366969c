// A ring of one place between a producer and a consumer, each of which spins until the other's number has come to memory.
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 2, PLACES = 1 };
static atomic_uint head, tail;

static void *produce(void *unused) {
    for (int item = 0; item < ITEMS; item++) {
        unsigned last = atomic_load_explicit(&tail, memory_order_relaxed);
        while (last - atomic_load_explicit(&head, memory_order_acquire) == PLACES)
            ;
        atomic_store_explicit(&tail, last + 1, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int item = 0; item < ITEMS; item++) {
        unsigned first;
        do
            first = atomic_load_explicit(&head, memory_order_relaxed);
        while (first == atomic_load_explicit(&tail, memory_order_acquire));
        atomic_store_explicit(&head, first + 1, memory_order_release);
    }
    return pthread_join(producer, NULL);
}
