// The main thread looks in the step in which it has created another: that nobody else has come to the variable yet does not mean
// that nobody does. With both orders explored, one of the two assertions fails in each.
//@ again: --reduction source-sets
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *work(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(atomic_load(&ready)); //~ ERROR: assertion failed: atomic_load
    pthread_join(thread, NULL);
    assert(!atomic_load(&ready)); //~ ERROR: assertion failed: !atomic_load
    return 0;
}
