// Arithmetic on a symbolic double is solved exactly: 4.5 is the one solution, in one of two executions.
//@ outcomes: 4.5 other
//@ executions: 2
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume((x > 1.0) & (x < 100.0));
    if (x + x == 9.0)
        puts(x == 4.5 ? "4.5" : "impossible");
    else
        puts("other");
    return 0;
}
