// A flag that is set and taken back: whoever looks late waits for ever, also where old values may be seen.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *one(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 0, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    while (atomic_load_explicit(&flag, memory_order_acquire) == 0) //~ ERROR: livelock
        ;
    seen = data; //~ ERROR: data race on `data`
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
