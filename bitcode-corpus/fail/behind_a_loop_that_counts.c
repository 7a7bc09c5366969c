// A thread counts until it is told to stop by the one that created it: that one gets its turn, and fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, count;

static void *work(void *unused) {
    while (!atomic_load(&stop))
        atomic_fetch_add(&count, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    atomic_store(&stop, 1);
    assert(atomic_load(&count) < 0); //~ ERROR: assertion
    pthread_join(thread, NULL);
    return 0;
}
