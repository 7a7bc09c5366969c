// One thread counts with the mutex of the counter held, the other without it. The counter is on the heap.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct counter { pthread_mutex_t lock; int count; };

static void *careful(void *shared) {
    struct counter *counter = shared;
    pthread_mutex_lock(&counter->lock);
    counter->count = counter->count + 1;
    pthread_mutex_unlock(&counter->lock);
    return NULL;
}

static void *careless(void *shared) {
    struct counter *counter = shared;
    counter->count = counter->count + 1;
    return NULL;
}

int main(void) {
    pthread_t one, other;
    struct counter *counter = calloc(1, sizeof *counter);
    pthread_mutex_init(&counter->lock, NULL);
    pthread_create(&one, NULL, careful, counter);
    pthread_create(&other, NULL, careless, counter);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(counter->count == 2); //~ ERROR: assertion failed: counter->count == 2
    free(counter);
    return 0;
}
