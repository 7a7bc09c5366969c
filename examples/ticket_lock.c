// A ticket lock, and a counter that it protects. Nothing is wrong with it, even under the weak
// model: its acquire and release are enough.
//
//     symx run --memmodel weak examples/ticket_lock.c
//
// It ends with exit code 0 and prints, among other lines:
//
//     safe
//     outputs the same in every execution: no output (14 executions)

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct ticket_lock {
    atomic_uint next, serving;
};

static struct ticket_lock lock;
static int counter;

static void acquire(struct ticket_lock *it) {
    unsigned ticket = atomic_fetch_add_explicit(&it->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&it->serving, memory_order_acquire) != ticket) {
    }
}

static void release(struct ticket_lock *it) {
    unsigned served = atomic_load_explicit(&it->serving, memory_order_relaxed);
    atomic_store_explicit(&it->serving, served + 1, memory_order_release);
}

static void *work(void *unused) {
    for (int i = 0; i < 2; i++) {
        acquire(&lock);
        counter++;
        release(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&other, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(counter == 4);
    return 0;
}
