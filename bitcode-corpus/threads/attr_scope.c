// Threads compete with all of the system: the other scope is known and not supported.
//@ outcomes: 0,0,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    int scope = -1;
    pthread_attr_init(&attributes);
    pthread_attr_getscope(&attributes, &scope);
    printf("%d", scope);
    printf(",%d", pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM));
    printf(",%d", pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    printf(",%d\n", pthread_attr_setscope(&attributes, 7) == EINVAL);
    return 0;
}
