// Neighbours are not one object.
//@ flags: --check race
#include <pthread.h>

char x[4];

static void *one(void *unused) {
    x[0] = 1;
    x[1] = 1;
    return unused;
}

static void *two(void *unused) {
    x[2] = 2;
    x[3] = 2;
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
