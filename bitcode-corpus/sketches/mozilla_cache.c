// After js_FlushPropertyCache of Mozilla's JavaScript engine: the cache's table and the flag that says that it is
// empty are two variables, each written atomically. A flush and a fill leave a table with entries marked empty.
//@ predictor: interleaved 11 17 12 18
//@ sketch: f:17 l:11 l:12 f:18 m:29
#include <assert.h>
#include <pthread.h>

static volatile int table = 1, empty;

static void *fill(void *unused) {
    empty = 0;
    table = 2;
    return unused;
}

static void *flush(void *unused) {
    table = 0;
    empty = 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, flush, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    // A cache that is marked empty has no entries.
    assert(!empty || table == 0); //~ ERROR: assertion failed
    return 0;
}
