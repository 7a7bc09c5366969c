// Threads that create the next one each, so that threads come into being in one order only.
//@ outcomes: 5 7
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int number;

static void *last(void *unused) {
    number += 2;
    return unused;
}

static void *middle(void *overwrites) {
    pthread_t thread;
    number += 1;
    pthread_create(&thread, NULL, last, NULL);
    if (overwrites)
        number = 5;
    pthread_join(thread, NULL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, middle, number == 0 ? &number : NULL);
    pthread_join(thread, NULL);
    printf("%d\n", number);
    return 0;
}
