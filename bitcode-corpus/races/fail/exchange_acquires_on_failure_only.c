// A compare-and-exchange that succeeds is relaxed here, and acquires only where it fails. So what the other
// thread has written before is not ordered before the read.
//@ flags: --check race

#include <pthread.h>
#include <stdatomic.h>

static int data;
int seen;
static atomic_int flag;

static void *writer(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    int expected = 1;
    if (atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_relaxed,
                                                memory_order_acquire))
        seen = data; //~ ERROR: data race
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
