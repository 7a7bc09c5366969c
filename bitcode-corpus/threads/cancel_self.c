// A thread that asks to cancel itself goes on to its next cancellation point.
//@ outcomes: on,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    pthread_cancel(pthread_self());
    printf("on");
    pthread_testcancel();
    printf("not reached");
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    printf(",%d\n", result == PTHREAD_CANCELED);
    return 0;
}
