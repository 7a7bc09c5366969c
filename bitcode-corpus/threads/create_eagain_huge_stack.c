// A thread whose stack there is no room for is not created.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *argument) {
    return argument;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 50);
    printf("%d", pthread_create(&thread, &attributes, run, NULL) == EAGAIN);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    printf(",%d\n", pthread_create(&thread, &attributes, run, NULL));
    pthread_join(thread, NULL);
    return 0;
}
