// A signal that nobody waits for is forgotten.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    printf("%d", pthread_cond_signal(&changed));
    printf(",%d\n", pthread_cond_broadcast(&changed));
    pthread_cond_destroy(&changed);
    return 0;
}
