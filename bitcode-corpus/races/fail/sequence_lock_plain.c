// A sequence lock over plain data: the reader drops what it has read while somebody wrote, and C11 calls it a race.
//@ flags: --check race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
int left, right;

static void *one(void *unused) {
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    left = 1;
    right = 1;
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return unused;
}

static void *two(void *unused) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int one = left; //~ ERROR: data race on `left`
    int other = right; //~ ERROR: data race on `right`
    atomic_thread_fence(memory_order_acquire);
    if (before % 2 == 0 && atomic_load_explicit(&sequence, memory_order_relaxed) == before)
        assert(one == other);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
