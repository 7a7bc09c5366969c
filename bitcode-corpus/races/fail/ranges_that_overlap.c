// A fill that reaches one element too far.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

int x[8];

static void *one(void *unused) {
    memset(x, 1, 5 * sizeof x[0]); //~ ERROR: data race on 
    return unused;
}

static void *two(void *unused) {
    x[4] = 2;
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
