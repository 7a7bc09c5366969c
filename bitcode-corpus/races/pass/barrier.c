// A barrier orders what comes before it and what comes behind.
//@ flags: --check race
#include <pthread.h>

pthread_barrier_t barrier;
int data, seen;

static void *one(void *unused) {
    data = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *two(void *unused) {
    pthread_barrier_wait(&barrier);
    seen = data;
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
