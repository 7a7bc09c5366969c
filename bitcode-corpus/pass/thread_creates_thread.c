// A thread creates and joins one of its own.
//@ native
#include <pthread.h>
#include <stdio.h>

static void *leaf(void *argument) {
    *(int *)argument += 1;
    return NULL;
}

static void *branch(void *argument) {
    pthread_t child;
    *(int *)argument += 10;
    pthread_create(&child, NULL, leaf, argument);
    pthread_join(child, NULL);
    *(int *)argument += 100;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int value = 0;
    pthread_create(&thread, NULL, branch, &value);
    pthread_join(thread, NULL);
    printf("%d\n", value);
    return 0;
}
