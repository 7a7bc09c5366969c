// A lock that is one atomic exchange, and a thread that ends while it holds it.
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *take(void *unused) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) { //~ ERROR: livelock
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    pthread_join(thread, NULL);
    take(NULL);
    return 0;
}
