// A stream that one thread has locked is not had by another until it is given back.
//@ outcomes: 1,1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int before, after;

static void *try(void *result) {
    *(int *)result = ftrylockfile(stdout);
    if (*(int *)result == 0)
        funlockfile(stdout);
    return NULL;
}

int main(void) {
    pthread_t thread;
    flockfile(stdout);
    pthread_create(&thread, NULL, try, &before);
    pthread_join(thread, NULL);
    funlockfile(stdout);
    pthread_create(&thread, NULL, try, &after);
    pthread_join(thread, NULL);
    printf("1,%d,%d\n", before != 0, after);
    return 0;
}
