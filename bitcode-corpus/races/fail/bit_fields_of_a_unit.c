// Bit-fields of one storage unit are one object.
//@ flags: --check race
#include <pthread.h>

struct {
    unsigned a : 3;
    unsigned b : 5;
} x;

static void *one(void *unused) {
    x.a = 1; //~ ERROR: data race on `x
    return unused;
}

static void *two(void *unused) {
    x.b = 2;
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
