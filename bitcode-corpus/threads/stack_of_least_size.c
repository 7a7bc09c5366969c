// The least size that the system names is accepted.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    printf(",%d\n", pthread_create(&thread, &attributes, run, NULL));
    pthread_join(thread, NULL);
    return 0;
}
