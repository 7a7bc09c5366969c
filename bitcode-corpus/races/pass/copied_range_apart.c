// A copy ends where another thread begins.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

short from[9], to[9];

static void *one(void *unused) {
    memcpy(to, from, 4 * sizeof from[0]);
    return unused;
}

static void *two(void *unused) {
    from[4] = 1;
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
