// A running thread's attributes: joinable, a stack that its variables are on.
//@ outcomes: 0,0,1,1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    int state = -1;
    void *address = NULL;
    size_t size = 0;
    printf("%d", pthread_getattr_np(pthread_self(), &attributes));
    pthread_attr_getdetachstate(&attributes, &state);
    printf(",%d", state != PTHREAD_CREATE_JOINABLE);
    pthread_attr_getstack(&attributes, &address, &size);
    printf(",%d,%d", address != NULL, size > 0);
    printf(",%d\n", pthread_attr_destroy(&attributes));
    return 0;
}
