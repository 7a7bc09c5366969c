// Any thread may join any other, not only its own children.
//@ outcomes: 5
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_t first;

static void *run(void *argument) {
    return argument;
}

static void *join(void *unused) {
    void *result;
    pthread_join(first, &result);
    return result;
}

int main(void) {
    pthread_t second;
    void *result;
    pthread_create(&first, NULL, run, (void *)5);
    pthread_create(&second, NULL, join, NULL);
    pthread_join(second, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
