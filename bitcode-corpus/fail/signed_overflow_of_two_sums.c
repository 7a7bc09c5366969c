// Two sums that may overflow, one after the other: which inputs depend on a lost result is known at once, not
// one value of an input after the other.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < 0 && y < 0 && x + y + y == -70) //~ ERROR: signed overflow
        assert(x != -10 || y != -30); //~ ERROR: assertion
    return 0;
}
