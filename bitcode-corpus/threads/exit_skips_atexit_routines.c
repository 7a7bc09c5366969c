// The end of a thread is not the end of the process: routines of atexit wait.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int ran;

static void note(void) {
    ran = 1;
}

static void *run(void *unused) {
    pthread_exit(unused);
}

int main(void) {
    pthread_t thread;
    atexit(note);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", ran);
    return 0;
}
