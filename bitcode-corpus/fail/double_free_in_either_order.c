// Two threads free one block; either of them is the second.

#include <pthread.h>
#include <stdlib.h>

static int *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    free(block); //~ ERROR: double free
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    free(block); //~ ERROR: double free
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
