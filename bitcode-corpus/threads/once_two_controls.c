// Each control has a run of its own.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static int runs;

static void count(void) {
    runs++;
}

int main(void) {
    pthread_once(&first, count);
    pthread_once(&second, count);
    pthread_once(&first, count);
    pthread_once(&second, count);
    printf("%d\n", runs);
    return 0;
}
