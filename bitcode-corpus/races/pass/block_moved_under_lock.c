// A table that grows under the lock under which it is read.
//@ flags: --check race,memory
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *table, length = 1;

static void *one(void *unused) {
    pthread_mutex_lock(&lock);
    table = realloc(table, 2 * sizeof *table);
    table[1] = 1;
    length = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *two(void *unused) {
    volatile int last;
    pthread_mutex_lock(&lock);
    last = table[length - 1];
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    table = calloc(1, sizeof *table);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(table);
    return 0;
}
