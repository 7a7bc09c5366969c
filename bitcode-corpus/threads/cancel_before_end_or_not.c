// A thread with no cancellation point ends as it would.
//@ outcomes: 7
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    (void)unused;
    return (void *)7;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", (int)(long)result);
    return 0;
}
