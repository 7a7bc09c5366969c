// A thread that shares its time with others has no priority but 0.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    printf("%d", pthread_setschedprio(pthread_self(), 5) == EINVAL);
    printf(",%d\n", pthread_setschedprio(pthread_self(), 0));
    return 0;
}
