// Identities of two's-complement arithmetic hold for all inputs.
//@ cflags: -O0
//@ outcomes: proved
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    uint32_t x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    assert((x ^ y) + 2 * (x & y) == x + y);
    assert((x | y) - (x & y) == (x ^ y));
    assert(-x == ~x + 1);
    assert((x << 3) + x == x * 9);
    puts("proved");
    return 0;
}
