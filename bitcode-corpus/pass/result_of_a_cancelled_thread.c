// A thread that may be cancelled at any time is so before it has returned, when it has, or never: its result says which.
//@ outcomes: returned cancelled
#include <pthread.h>
#include <stdio.h>

static int value;

static void *run(void *unused) {
    (void)unused;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    return &value;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == &value ? "returned" : result == PTHREAD_CANCELED ? "cancelled" : "neither");
    return 0;
}
