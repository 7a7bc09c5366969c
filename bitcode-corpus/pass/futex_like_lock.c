// A lock in the style of a futex: a word with a held bit and a count of waiters. The wake-up adds to a number that only
// waiters look at.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { HELD = 1, WAITER = 2, LOOKS = 2 };
static atomic_int word, wake_ups;
static atomic_long owner;
static long shared;

static void sleep_while(int expected) {
    int before = atomic_load_explicit(&wake_ups, memory_order_acquire);
    if (atomic_load_explicit(&word, memory_order_acquire) == expected)
        while (atomic_load_explicit(&wake_ups, memory_order_acquire) == before)
            ;
}

static int is_free_soon(void) {
    for (int i = 0; i < LOOKS; i++)
        if (!(atomic_load_explicit(&word, memory_order_relaxed) & HELD))
            return 1;
    return 0;
}

static void lock(long me) {
    for (;;) {
        int seen = atomic_load_explicit(&word, memory_order_relaxed);
        if (!(seen & HELD)) {
            if (atomic_compare_exchange_weak_explicit(&word, &seen, seen | HELD, memory_order_acquire, memory_order_relaxed))
                break;
        } else if (!is_free_soon()) {
            atomic_fetch_add_explicit(&word, WAITER, memory_order_relaxed);
            for (seen += WAITER; seen & HELD; seen = atomic_load_explicit(&word, memory_order_relaxed))
                sleep_while(seen);
            atomic_fetch_sub_explicit(&word, WAITER, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&owner, me, memory_order_relaxed);
}

static void unlock(void) {
    int seen = atomic_load_explicit(&word, memory_order_relaxed);
    do
        atomic_store_explicit(&owner, 0, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&word, &seen, seen & ~HELD, memory_order_release, memory_order_relaxed));
    if (seen & ~HELD)
        atomic_fetch_add_explicit(&wake_ups, 1, memory_order_release);
}

static void *enter(void *argument) {
    lock((long)argument);
    shared = (long)argument;
    assert(shared == (long)argument);
    unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
