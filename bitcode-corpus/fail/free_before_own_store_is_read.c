// What a thread reads back from its own buffer must be alive, too.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int *item;
static int seen;

static void *use(void *unused) {
    atomic_int *mine = item;
    atomic_store_explicit(mine, 1, memory_order_relaxed); //~ ERROR: use after free
    seen = atomic_load_explicit(mine, memory_order_relaxed); //~ ERROR: use after free
    return unused;
}

static void *drop(void *unused) {
    free((void *)item);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    item = malloc(sizeof *item);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    return seen & 0;
}
