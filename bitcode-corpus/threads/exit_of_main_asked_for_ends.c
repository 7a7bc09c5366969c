// Whether another thread has ended shows to who asks, though main has left by pthread_exit.
//@ outcomes: 0 EBUSY
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_t first;

static void *end(void *unused) {
    return unused;
}

static void *ask(void *unused) {
    puts(pthread_tryjoin_np(first, NULL) == EBUSY ? "EBUSY" : "0");
    return unused;
}

int main(void) {
    pthread_t second;
    pthread_create(&first, NULL, end, NULL);
    pthread_create(&second, NULL, ask, NULL);
    pthread_exit(NULL);
}
