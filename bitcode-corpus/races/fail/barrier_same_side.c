// What both do behind a barrier is not ordered.
//@ flags: --check race
#include <pthread.h>

pthread_barrier_t barrier;
int data, seen;

static void *one(void *unused) {
    pthread_barrier_wait(&barrier);
    data = 1; //~ ERROR: data race on `data`
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
