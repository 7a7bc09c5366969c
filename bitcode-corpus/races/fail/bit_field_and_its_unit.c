// A bit-field, and a copy of the whole structure.
//@ flags: --check race
#include <pthread.h>

struct fields {
    int one : 4;
    int two : 4;
} shared, copy;

static void *one(void *unused) {
    shared.one = 1;
    return unused;
}

static void *two(void *unused) {
    copy = shared; //~ ERROR: data race on
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
