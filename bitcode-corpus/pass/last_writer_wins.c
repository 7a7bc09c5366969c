// Two unordered stores to one variable: the last one in memory order stays.
//@ outcomes: 1 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int winner;

static void *claim(void *argument) {
    atomic_store_explicit(&winner, (int)(intptr_t)argument, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, claim, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", winner);
    return 0;
}
