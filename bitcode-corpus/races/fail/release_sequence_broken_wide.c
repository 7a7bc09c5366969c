// A relaxed store ends a release sequence, also where the machine stores 16 bytes by a compare-and-exchange.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    long number, count;
} wide;

static _Atomic wide flag;
static int data;
static volatile int seen;

static long load(memory_order order) {
    wide found = atomic_load_explicit(&flag, order);
    return found.number;
}

static void *three(void *unused) {
    if (load(memory_order_acquire) == 2)
        seen = data; //~ ERROR: data race on `data`
    return unused;
}

static void *one(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, ((wide){1, 1}), memory_order_release);
    return unused;
}

static void *two(void *unused) {
    if (load(memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, ((wide){2, 2}), memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
