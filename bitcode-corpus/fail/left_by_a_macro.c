// A macro returns between the read and the write: a lock around the lines would stay held.
#include <assert.h>
#include <pthread.h>
#define NEED(what) do { if (!(what)) return NULL; } while (0)

volatile int count;

static void *add(void *wanted) {
    int old = count;
    NEED(wanted);
    count = old + 1;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int wanted;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add, i ? &wanted : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
