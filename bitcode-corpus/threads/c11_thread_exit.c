// thrd_exit ends a thread with a result.
//@ outcomes: 9
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static int run(void *unused) {
    (void)unused;
    thrd_exit(9);
}

int main(void) {
    thrd_t thread;
    int result = 0;
    thrd_create(&thread, run, NULL);
    thrd_join(thread, &result);
    printf("%d\n", result);
    return 0;
}
