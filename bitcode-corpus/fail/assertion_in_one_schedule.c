// The assertion fails in one interleaving: the reader runs between two stores.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int low, high;

static void *advance(void *unused) {
    atomic_store(&low, 1);
    atomic_store(&high, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, advance, NULL);
    int l = atomic_load(&low);
    int h = atomic_load(&high);
    assert(l == h); //~ ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
