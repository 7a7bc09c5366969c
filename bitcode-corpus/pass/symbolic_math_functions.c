// Roots and roundings of symbolic numbers by libc's functions: solved, not enumerated.
//@ cflags: -fno-builtin
//@ outcomes: root none
//@ executions: 2
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume((x >= 1) & (x <= 100));
    assert(sqrtf(x) <= 10);
    assert((floorf(x) <= 100) & (ceilf(x) >= 1) & (roundf(x) <= 100));
    puts(sqrtf(x) == 7.5f ? "root" : "none");
    assert(sqrt(2.25) == 1.5 && fma(2, 3, 4) == 10 && trunc(-2.5) == -2);
    return 0;
}
