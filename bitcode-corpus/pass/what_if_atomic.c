// Two updates that are each one step, as is assumed.
//@ flags: --what-if atomic:what_if_atomic.c:10-11
//@ outcomes: 2
#include <pthread.h>
#include <stdio.h>

static volatile int count;

static void *add(void *unused) {
    int seen = count;
    count = seen + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", count);
    return 0;
}
