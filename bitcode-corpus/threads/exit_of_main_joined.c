// The main thread can be joined like any other.
//@ outcomes: 6
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_t main_thread;

static void *run(void *unused) {
    void *result;
    pthread_join(main_thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return unused;
}

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, run, NULL);
    pthread_exit((void *)6);
}
