// Two writes that nobody reads race, though what is observed is always the same.
//@ flags: --check race --reduction reads-from
#include <pthread.h>

int x;

static void *one(void *unused) {
    x = 1; //~ ERROR: data race on `x`
    return unused;
}

static void *two(void *unused) {
    x = 2;
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
