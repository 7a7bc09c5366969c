// A handler of SIGABRT that leaves by siglongjmp goes on after abort.
//@ outcomes: 2
//@ native
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf before;

static void leave(int signal) {
    siglongjmp(before, signal == SIGABRT ? 2 : 3);
}

int main(void) {
    signal(SIGABRT, leave);
    int left = sigsetjmp(before, 1);
    if (left == 0)
        abort();
    printf("%d\n", left);
    return 0;
}
