// A byte of a word that is written whole.
//@ flags: --check race
#include <pthread.h>

union {
    int word;
    char bytes[4];
} x;

static void *one(void *unused) {
    x.word = 1; //~ ERROR: data race on 
    return unused;
}

static void *two(void *unused) {
    x.bytes[2] = 2;
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
