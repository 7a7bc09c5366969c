// Each thread has a value of its own.
//@ outcomes: 1,2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_key_t key;
static int seen;

static void *run(void *unused) {
    pthread_setspecific(key, (void *)2);
    seen = (int)(intptr_t)pthread_getspecific(key);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, (void *)1);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d,%d\n", (int)(intptr_t)pthread_getspecific(key), seen);
    pthread_key_delete(key);
    return 0;
}
