// Names that glibc keeps for older programs: yielding, robust mutexes, the address of a stack.
//@ outcomes: 0,1,0,0,1
//@ cflags: -Wno-deprecated-declarations
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_attr_t of_threads;
    int robust;
    void *address;
    pthread_mutexattr_init(&attributes);
    printf("%d", pthread_mutexattr_setrobust_np(&attributes, PTHREAD_MUTEX_ROBUST_NP));
    pthread_mutexattr_getrobust_np(&attributes, &robust);
    printf(",%d", robust == PTHREAD_MUTEX_ROBUST_NP);
    printf(",%d", pthread_yield());
    pthread_attr_init(&of_threads);
    pthread_attr_setstackaddr(&of_threads, (void *)0x7f0000000000);
    pthread_attr_getstackaddr(&of_threads, &address);
    printf(",%d", address != (void *)0x7f0000000000);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    printf(",%d\n", pthread_mutex_consistent_np(&mutex) == EINVAL);
    return 0;
}
