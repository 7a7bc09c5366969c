// Double-checked locking as it should be.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int data;
atomic_int seen;

static void *one(void *unused) {
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            data = 1;
            atomic_store_explicit(&ready, 1, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    atomic_store(&seen, data);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, one, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
