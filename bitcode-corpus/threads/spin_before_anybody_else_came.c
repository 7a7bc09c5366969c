// A thread waits in a loop for a variable that nobody else has touched yet.
//@ outcomes: 1

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int value;

static void *expect(void *argument) {
    while (atomic_load(&value) == 0) {}
    return argument;
}

static void *provide(void *argument) {
    atomic_store(&value, 1);
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, expect, 0);
    pthread_create(&other, 0, provide, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d\n", atomic_load(&value));
    return 0;
}
