// A thread is equal to itself and to no other.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static thrd_t own;

static int run(void *unused) {
    (void)unused;
    own = thrd_current();
    return 0;
}

int main(void) {
    thrd_t thread;
    thrd_create(&thread, run, NULL);
    thrd_join(thread, NULL);
    printf("%d,%d\n", thrd_equal(own, thread) != 0, thrd_equal(own, thrd_current()) != 0);
    return 0;
}
