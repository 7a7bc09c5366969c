// The thread that frees comes first in the first execution; the use before it is an execution of its own.
//@ flags: --keep-going
//@ outcomes: 7
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *item, seen;

static void *drop(void *unused) {
    free(item);
    return unused;
}

static void *use(void *unused) {
    seen = *item; //~ ERROR: use after free
    return unused;
}

int main(void) {
    pthread_t threads[2];
    item = malloc(sizeof *item);
    *item = 7;
    pthread_create(&threads[0], NULL, drop, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%d\n", seen);
    return 0;
}
