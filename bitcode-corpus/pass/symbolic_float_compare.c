// A symbolic float splits executions by comparisons, not by values: less, equal, greater, and NaN.
//@ outcomes: below half above nan
//@ executions: 4
#include <stddef.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x < 0.5f)
        puts("below");
    else if (x == 0.5f)
        puts("half");
    else if (x > 0.5f)
        puts("above");
    else
        puts(x != x ? "nan" : "impossible");
    return 0;
}
