// After pthread_exit in main the process lives until the last thread ends, with status 0.
//@ native
#include <pthread.h>
#include <stdio.h>

static void *start(void *unused) {
    printf("child\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_exit(NULL);
}
