// The process ends after its threads: one is joined, and the main thread leaves it to the other one.
//@ flags: --check unfinished-thread
//@ again: --reduction source-sets
//@ outcomes: 12
//@ native
#include <pthread.h>
#include <stdio.h>

static void *joined(void *unused) {
    printf("1");
    return unused;
}

static void *left(void *unused) {
    printf("2\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, joined, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, left, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
