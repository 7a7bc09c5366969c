// Each thread reads the number before it takes the lock for the store, or takes none at all: what another
// thread adds in between is lost. Which threads these are does not matter, and there may be many.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4
#endif

static int x;
#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *add(void *unused) {
    int t = x;
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    x = t + 1;
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(x == N); //~ ERROR: assertion failed
    return 0;
}
