// A thread creates and joins another one.
//@ outcomes: 7
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *inner(void *argument) {
    return argument;
}

static void *outer(void *argument) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, inner, argument);
    pthread_join(thread, &result);
    return result;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, outer, (void *)7);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
