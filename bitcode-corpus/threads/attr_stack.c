// Address and size of a stack are kept; one that is too small is refused.
//@ outcomes: 0,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static char stack[65536] __attribute__((aligned(4096)));

int main(void) {
    pthread_attr_t attributes;
    void *address;
    size_t size;
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_setstack(&attributes, stack, sizeof stack));
    pthread_attr_getstack(&attributes, &address, &size);
    printf(",%d,%d", address == stack, size == sizeof stack);
    printf(",%d\n", pthread_attr_setstack(&attributes, stack, 1) == EINVAL);
    return 0;
}
