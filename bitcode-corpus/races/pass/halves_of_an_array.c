// Each thread fills its half.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

int x[8];

static void *one(void *unused) {
    memset(x, 1, sizeof x / 2);
    return unused;
}

static void *two(void *unused) {
    memset(x + 4, 2, sizeof x / 2);
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
