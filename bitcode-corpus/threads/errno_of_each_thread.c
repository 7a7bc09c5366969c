// Each thread has an errno of its own.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static int own;

static void *run(void *unused) {
    errno = 5;
    own = errno;
    return unused;
}

int main(void) {
    pthread_t thread;
    errno = 3;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d,%d\n", errno == 3, own == 5);
    return 0;
}
