// After "cache4j": an object is looked up, and evicted before it is used.
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static volatile int is_cached = 1;
static volatile int object = 5;
static volatile int hits;

static void *get(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        if (is_cached) {
            assert(object != 0); //~ ERROR: assertion failed
            hits = hits + 1;
        }
    }
    return unused;
}

static void *evict(void *unused) {
    is_cached = 0;
    object = 0;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, get, NULL);
    pthread_create(&threads[1], NULL, evict, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
