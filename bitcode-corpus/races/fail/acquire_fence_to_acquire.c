// A fence that only acquires releases nothing.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *one(void *unused) {
    data = 1;
    atomic_thread_fence(memory_order_acquire);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 1)
        seen = data; //~ ERROR: data race on `data`
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
