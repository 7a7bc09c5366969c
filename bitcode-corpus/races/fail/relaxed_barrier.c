// Threads that meet by relaxed counting are not ordered.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int arrived;
int data;

static void *one(void *unused) {
    data = 1;
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed) == 1)
        data = 2; //~ ERROR: data race on `data`
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
