// A reference count whose decrements are relaxed: the last owner may miss what the other one has written. The decrement
// has to release, and the last owner to acquire.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owners = 2, written;

static void drop(void) {
    if (atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed) == 1)
        assert(atomic_load_explicit(&written, memory_order_relaxed) == 1); //~[weak] ERROR: assertion failed
}

static void *other(void *unused) {
    atomic_store_explicit(&written, 1, memory_order_relaxed);
    drop();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    drop();
    pthread_join(thread, NULL);
    return 0;
}
