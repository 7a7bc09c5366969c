// An integer that goes through double and back is itself, and compares as itself.
//@ outcomes: fine
//@ executions: 1
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    double d = x;
    assert((int)d == x);
    assert((float)(x & 0xffff) == (x & 0xffff));
    assert((d < 10.25) == (x <= 10));
    assert((d * 1.0 >= -0.5) == (x >= 0));
    if (d > 2147483646.5)
        assert(x == 2147483647);
    puts("fine");
    return 0;
}
