// Handles of one thread are equal, of two they are not.
//@ outcomes: 1,0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, run, NULL);
    pthread_create(&two, NULL, run, NULL);
    printf("%d", pthread_equal(one, one) != 0);
    printf(",%d", pthread_equal(one, two) != 0);
    printf(",%d\n", pthread_equal(pthread_self(), pthread_self()) != 0);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
