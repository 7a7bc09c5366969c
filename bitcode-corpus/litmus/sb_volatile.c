// Store buffering through volatile variables, which order nothing between threads.
//@ outcomes[sc]: 01 10 11
//@ outcomes[tso,pso]: 00 01 10 11

#include <pthread.h>
#include <stdio.h>

volatile int x, y;
int r0, r1;

static void *first(void *unused) {
    (void)unused;
    x = 1;
    r0 = y;
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    y = 1;
    r1 = x;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
