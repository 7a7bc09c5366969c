// Each thread looks whether there is one left and takes it: another thread takes the last one in between. Which threads
// these are does not matter, and there may be many.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int left = N / 2;

static void *take(void *unused) {
    if (left > 0) {
        int before = atomic_fetch_sub(&left, 1);
        assert(before > 0); //~ ERROR: assertion failed
    }
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
