// The same for a mutex in the object that is freed.
//@ outcomes: 7
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t *item;
static int seen;

static void *drop(void *unused) {
    free(item);
    return unused;
}

static void *use(void *unused) {
    pthread_mutex_lock(item); //~ ERROR: use after free
    seen = 7;
    pthread_mutex_unlock(item); //~ ERROR: use after free
    return unused;
}

int main(void) {
    pthread_t threads[2];
    item = malloc(sizeof *item);
    pthread_mutex_init(item, NULL);
    pthread_create(&threads[0], NULL, drop, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%d\n", seen);
    return 0;
}
