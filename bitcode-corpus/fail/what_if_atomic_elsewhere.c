// What is assumed to be one step is not all that would have to be.
//@ flags: --what-if atomic:what_if_atomic_elsewhere.c:10-10
#include <assert.h>
#include <pthread.h>

static volatile int count;

static void *add(void *unused) {
    int seen = count;
    count = seen + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
