// A ring buffer between one producer and one consumer. The producer publishes an item with a relaxed store,
// which may reach memory before the item does.
//
//     symx run --memmodel pso examples/ring.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     store-buffer-reordering: T2 consume reads slot[0] = 0 (ring.c:37), while T1 produce's store to
//       `slot[0]` (:28) is still in the store buffer. Then: assertion failed: item == 7 (:50).
//     suggested fix: make the accesses to `tail` at ring.c:29 and :35 atomic (release and acquire).
//       Verified: no failure in any execution.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define SLOTS 2

static int slot[SLOTS];
static atomic_uint head, tail;

static bool push(int item) {
    unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
    if (at - atomic_load_explicit(&head, memory_order_acquire) == SLOTS)
        return false;
    slot[at % SLOTS] = item;
    atomic_store_explicit(&tail, at + 1, memory_order_relaxed);
    return true;
}

static bool pop(int *item) {
    unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
    if (at == atomic_load_explicit(&tail, memory_order_acquire))
        return false;
    *item = slot[at % SLOTS];
    atomic_store_explicit(&head, at + 1, memory_order_release);
    return true;
}

static void *produce(void *unused) {
    push(7);
    return unused;
}

static void *consume(void *unused) {
    int item;
    if (pop(&item))
        assert(item == 7);
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
