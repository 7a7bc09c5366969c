// After Memcached 127: an increment reads the item under the lock and stores it under the lock, and gives the
// lock back between; one of two increments is lost.
//@ predictor: atomicity RWW 13 16 16
//@ sketch: a:13 b:13 b:16 a:16 m:28
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int item;

static void *process_arithmetic_command(void *unused) {
    pthread_mutex_lock(&cache_lock);
    int value = item + 1;
    pthread_mutex_unlock(&cache_lock);
    pthread_mutex_lock(&cache_lock);
    item = value;
    pthread_mutex_unlock(&cache_lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, process_arithmetic_command, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    // Both increments are there.
    assert(item == 2); //~ ERROR: assertion failed
    return 0;
}
