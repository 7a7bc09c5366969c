// A new key is null in every thread.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;

static void *look(void *unused) {
    printf(",%d\n", pthread_getspecific(key) == NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, NULL);
    printf("%d", pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &key);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
