// Is the lock in `drop_item` needed? Without it the item can be used when it is gone.
//@ flags: --what-if what_if.c:17
//@ races: spec-violated at 19 27
//@ races[sc,weak]: spec-violated at 21 28
//@ races[tso,pso]: k-witness-harmless at 21 28
//@ races: spec-violated at 21 28
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct item {
    int value;
} *item;

static void *drop_item(void *unused) {
    struct item *gone;
    pthread_mutex_lock(&lock);
    gone = item;
    item = NULL;
    pthread_mutex_unlock(&lock);
    free(gone);
    return unused;
}

static void *use_item(void *unused) {
    pthread_mutex_lock(&lock);
    if (item)
        item->value++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    item = calloc(1, sizeof *item);
    pthread_create(&threads[0], NULL, drop_item, NULL);
    pthread_create(&threads[1], NULL, use_item, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
