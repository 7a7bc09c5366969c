// A block is freed after the last of two threads that store into it has been joined. What the free finds
// there does not say whether the other one has stored before, or is to come.

#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *first(void *unused) {
    *block = 1; //~ ERROR: use after free
    return unused;
}

static void *second(void *unused) {
    *block = 2;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[1], NULL);
    free(block);
    pthread_join(threads[0], NULL);
    return 0;
}
