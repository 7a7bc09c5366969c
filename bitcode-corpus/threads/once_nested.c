// A routine may itself use another control.
//@ outcomes: 12
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int order;

static void initialise_inner(void) {
    order = order * 10 + 1;
}

static void initialise_outer(void) {
    pthread_once(&inner, initialise_inner);
    order = order * 10 + 2;
}

int main(void) {
    pthread_once(&outer, initialise_outer);
    printf("%d\n", order);
    return 0;
}
