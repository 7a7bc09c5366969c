// A branch that no input can take is not taken.
//@ cflags: -O0
//@ outcomes: fine
#include <assert.h>
#include <stdio.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = (x & 0xf0) | 1;
    assert(y % 2 == 1 && y < 256);
    assert(!(x > 10 && x < 5));
    puts("fine");
    return 0;
}
