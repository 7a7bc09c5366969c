// A name has at most 15 characters; a buffer for it at least 16 bytes.
//@ outcomes: 0,worker,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    char name[16] = "";
    printf("%d", pthread_setname_np(pthread_self(), "worker"));
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf(",%s", name);
    printf(",%d", pthread_setname_np(pthread_self(), "sixteen-letters!") == ERANGE);
    printf(",%d\n", pthread_getname_np(pthread_self(), name, 5) == ERANGE);
    return 0;
}
