// A stack has a least size.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    printf("%d\n", pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    return 0;
}
