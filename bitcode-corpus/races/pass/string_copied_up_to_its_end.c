// What is behind the end of a string, the C library does not read.
//@ flags: --check race
#include <pthread.h>
#include <string.h>

char text[8] = "long", copy[8];

static void *one(void *unused) {
    text[5] = 'x';
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
