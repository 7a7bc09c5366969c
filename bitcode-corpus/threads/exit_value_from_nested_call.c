// pthread_exit ends the thread from any depth, with its value.
//@ outcomes: 13
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void leave(int depth) {
    if (depth == 0)
        pthread_exit((void *)13);
    leave(depth - 1);
}

static void *run(void *unused) {
    leave(3);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
