// A destroyed condition variable may be made anew.
//@ outcomes: 0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_cond_t changed;
    printf("%d", pthread_cond_init(&changed, NULL));
    printf(",%d", pthread_cond_destroy(&changed));
    printf(",%d\n", pthread_cond_init(&changed, NULL));
    pthread_cond_destroy(&changed);
    return 0;
}
