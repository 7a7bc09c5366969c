// thrd_create, and the number that thrd_join gets.
//@ outcomes: 7,0
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static int run(void *argument) {
    return *(int *)argument + 1;
}

int main(void) {
    thrd_t thread;
    int argument = 6, result = 0;
    thrd_create(&thread, run, &argument);
    int status = thrd_join(thread, &result);
    printf("%d,%d\n", result, status != thrd_success);
    return 0;
}
