// One of the orders of two stores fails after the last join, whatever came of the others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int last;

static void *store(void *value) {
    atomic_store(&last, *(int *)value);
    return NULL;
}

int main(void) {
    int one = 1, two = 2;
    pthread_t first, second;
    pthread_create(&first, NULL, store, &one);
    pthread_create(&second, NULL, store, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(last == 2); //~ ERROR: assertion failed
    return 0;
}
