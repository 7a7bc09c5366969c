// realloc takes a block away that another thread reads.
//@ flags: --check race
#include <pthread.h>
#include <stdlib.h>

int *table, seen;

static void *one(void *unused) {
    free(realloc(table, 1000 * sizeof *table)); //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    seen = *table;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    table = calloc(1, sizeof *table);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[0], NULL, one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
