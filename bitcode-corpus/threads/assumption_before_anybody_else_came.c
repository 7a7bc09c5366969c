// The first execution ends at the assumption, before anybody else has touched the variable; others must not be lost.
//@ outcomes: 1
//@ again: --reduction source-sets

#include <pthread.h>
#include <stdio.h>
#include <symx.h>

static int value;

static void *expect(void *argument) {
    symx_assume(value != 0);
    return argument;
}

static void *provide(void *argument) {
    value = 1;
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, expect, 0);
    pthread_create(&other, 0, provide, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d\n", value);
    return 0;
}
