// Reads do not conflict.
//@ flags: --check race
#include <pthread.h>

int x = 1, first, second;

static void *one(void *unused) {
    first = x;
    return unused;
}

static void *two(void *unused) {
    second = x;
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
