// A _Thread_local variable starts from its initialiser in every thread.
//@ native
#include <pthread.h>
#include <stdio.h>

static _Thread_local int value = 5;
static int seen;

static void *start(void *unused) {
    value += 1;
    seen = value;
    return unused;
}

int main(void) {
    pthread_t thread;
    value = 100;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    printf("%d %d\n", seen, value);
    return 0;
}
