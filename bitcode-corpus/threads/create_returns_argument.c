// What a thread's start routine gets is what it was created with, and what it returns is what its joiner gets.
//@ outcomes: 42
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *run(void *argument) {
    return (void *)((intptr_t)argument + 1);
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, (void *)41);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
