// An unnamed bit-field of no width parts two others: they lie in different units.
//@ flags: --check race
#include <pthread.h>

struct {
    int one : 4;
    int : 0;
    int two : 4;
} shared;

static void *one(void *unused) {
    shared.one = 1;
    return unused;
}

static void *two(void *unused) {
    shared.two = 1;
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
