// An atomic store of eight bytes, and a plain load of four of them.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

union {
    atomic_long wide;
    int narrow[2];
} shared;
int seen;

static void *one(void *unused) {
    atomic_store(&shared.wide, 1);
    return unused;
}

static void *two(void *unused) {
    seen = shared.narrow[1]; //~ ERROR: data race on
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
