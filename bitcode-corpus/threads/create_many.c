// Eight threads, each with a result of its own.
//@ outcomes: 28
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT 8

static void *run(void *argument) {
    return argument;
}

int main(void) {
    pthread_t threads[COUNT];
    intptr_t sum = 0;
    for (intptr_t number = 0; number < COUNT; number++)
        pthread_create(&threads[number], NULL, run, (void *)number);
    for (int number = 0; number < COUNT; number++) {
        void *result;
        pthread_join(threads[number], &result);
        sum += (intptr_t)result;
    }
    printf("%d\n", (int)sum);
    return 0;
}
