// Another thread's copy, by its address.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

_Thread_local int x;
_Atomic(int *) place;
pthread_barrier_t barrier;

static void *one(void *unused) {
    atomic_store(&place, &x);
    x = 1; //~ ERROR: data race on `x` (T1)
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *two(void *unused) {
    int *other = atomic_load(&place);
    if (other)
        *other = 2;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
