// memset, and a load behind its beginning.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

char bytes[64], seen;

static void *one(void *unused) {
    memset(bytes, 1, sizeof bytes); //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    seen = bytes[63];
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
