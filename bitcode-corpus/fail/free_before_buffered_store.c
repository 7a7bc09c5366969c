// A store that goes to a buffer must find its object alive as any other: here it comes before or after the end.
#include <pthread.h>
#include <stdlib.h>

static int *item;

static void *use(void *unused) {
    *item = 1; //~ ERROR: use after free
    return unused;
}

static void *drop(void *unused) {
    free(item);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    item = malloc(sizeof *item);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    return 0;
}
