// A routine whose thread is cancelled in it counts as not run: the next caller runs it.
//@ outcomes: 2,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int runs;

static void initialise(void) {
    if (runs++ == 0) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
}

static void *run(void *unused) {
    pthread_once(&control, initialise);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    pthread_once(&control, initialise);
    pthread_once(&control, initialise);
    printf("%d,%d\n", runs, result == PTHREAD_CANCELED);
    return 0;
}
