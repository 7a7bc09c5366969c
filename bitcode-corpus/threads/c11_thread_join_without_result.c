// Who does not want the result passes no place for it.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static int run(void *unused) {
    (void)unused;
    return 3;
}

int main(void) {
    thrd_t thread;
    thrd_create(&thread, run, NULL);
    printf("%d\n", thrd_join(thread, NULL) == thrd_success);
    return 0;
}
