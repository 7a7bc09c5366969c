// An assertion that one input in four thousand million breaks.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    assert((x ^ 0x5bd1e995) * 3 != 12); //~ ERROR: assertion failed
    return 0;
}
