// A thread with asynchronous cancellation that asks to cancel itself does not return from that.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cancel(pthread_self());
    printf("not reached");
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
