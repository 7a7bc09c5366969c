// A half of a word, and the word.
//@ flags: --check race
#include <pthread.h>

union {
    int word;
    short halves[2];
} shared;

static void *one(void *unused) {
    shared.halves[0] = 1;
    return unused;
}

static void *two(void *unused) {
    shared.word = 1; //~ ERROR: data race on
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
