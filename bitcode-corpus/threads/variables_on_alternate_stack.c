// The variables of a handler that asks for the alternate stack lie there, every time from its top; those of another do not.
//@ outcomes: 1,1,0,1
//@ native
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static char stack[65536] __attribute__((aligned(16)));
static volatile uintptr_t seen;
static sigjmp_buf back;

static void handler(int number) {
    volatile int local = number;
    seen = (uintptr_t)&local;
    if (number == SIGUSR2)
        siglongjmp(back, 1);
}

__attribute__((noinline)) static void deeper(int levels) {
    volatile int local = levels;
    if (levels)
        deeper(levels - 1);
    else
        seen = (uintptr_t)&local;
    local = 0;
}

static int is_inside(void) {
    return seen >= (uintptr_t)stack && seen < (uintptr_t)stack + sizeof stack;
}

int main(void) {
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    printf("%d", is_inside());
    uintptr_t first = seen;
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR2);
    raise(SIGUSR1);
    printf(",%d", seen == first);
    action.sa_flags = 0;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf(",%d", is_inside());
    deeper(3);
    printf(",%d\n", !is_inside());
    return 0;
}
