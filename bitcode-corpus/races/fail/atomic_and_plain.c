// A plain access races with an atomic one.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int seen;

static void *one(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *two(void *unused) {
    seen = *(int *)&x; //~ ERROR: data race on `x`
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
