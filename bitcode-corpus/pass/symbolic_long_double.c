// 80 bits are symbolic, too: every int is exact in them, and halves are.
//@ outcomes: fine
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    int x;
    float f;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&f, sizeof f, "f");
    long double wide = x;
    assert((int)wide == x);
    long double exact = f;
    assert((float)exact == f || f != f);
    puts("fine");
    return 0;
}
