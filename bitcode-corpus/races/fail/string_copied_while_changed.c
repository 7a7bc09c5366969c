// The C library reads a string up to its end, which another thread moves.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

char text[8] = "longer", copy[8];

static void *one(void *unused) {
    text[4] = 0; //~ ERROR: data race on `text[4]`
    return unused;
}

static void *two(void *unused) {
    strcpy(copy, text);
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
