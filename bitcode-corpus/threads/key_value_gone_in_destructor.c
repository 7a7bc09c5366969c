// When its destructor runs, a value is null already, and the destructor has it as argument.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int right;

static void destroy(void *value) {
    right = value == &right && pthread_getspecific(key) == NULL;
}

static void *run(void *unused) {
    pthread_setspecific(key, &right);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", right);
    return 0;
}
