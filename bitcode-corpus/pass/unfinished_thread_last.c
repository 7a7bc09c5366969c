// The last thread to end runs what is registered for the exit: that is its end.
//@ flags: --check unfinished-thread
//@ again: --reduction source-sets
//@ outcomes: last
//@ native
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *unused) {
    return unused;
}

static void at_exit(void) {
    puts("last");
}

int main(void) {
    pthread_t thread;
    atexit(at_exit);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
