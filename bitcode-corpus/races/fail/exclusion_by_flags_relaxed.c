// Where stores are delayed both see nobody: released and acquired is not enough.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int here, there;
int data;

static void *one(void *unused) {
    atomic_store_explicit(&here, 1, memory_order_release);
    if (!atomic_load_explicit(&there, memory_order_acquire))
        data++; //~[tso,pso,weak] ERROR: data race on `data`
    return unused;
}

static void *two(void *unused) {
    atomic_store_explicit(&there, 1, memory_order_release);
    if (!atomic_load_explicit(&here, memory_order_acquire))
        data++;
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
