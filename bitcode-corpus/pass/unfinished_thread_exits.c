// A thread that ends the process itself is not one that the process ends before.
//@ flags: --check unfinished-thread
//@ again: --reduction source-sets
//@ outcomes: exit
//@ native
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *unused) {
    puts("exit");
    exit(0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 1;
}
