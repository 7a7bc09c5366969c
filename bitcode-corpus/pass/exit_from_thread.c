// exit in a thread ends the process with its status; handlers run and output is flushed.
//@ native
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void at_end(void) {
    printf("handler\n");
}

static void *start(void *unused) {
    (void)unused;
    printf("leaving\n");
    exit(3);
}

int main(void) {
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    return 0;
}
