// pthread_once runs its function once, and every caller sees it finished.
//@ outcomes: 188
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, value, seen[2];

static void initialise(void) {
    runs++;
    value = 8;
}

static void *use(void *slot) {
    pthread_once(&once, initialise);
    *(int *)slot = value;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d\n", runs, seen[0], seen[1]);
    return 0;
}
