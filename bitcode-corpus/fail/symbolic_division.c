// A divisor that is zero for one input.
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    short x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (100 / (x - 17) > 5) //~ ERROR: division by zero
        puts("large");
    return 0;
}
