// A store to a block that may be freed by then. The thread that frees it has stored there itself, so what the
// end of the block finds is the same whether the other store comes before or after it.
#include <pthread.h>
#include <stdlib.h>

static int *number;

static void *store(void *unused) {
    *number = 1; //~ ERROR: use after free
    return unused;
}

static void *free_it(void *unused) {
    *number = 2;
    free(number);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    number = malloc(sizeof *number);
    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, free_it, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
