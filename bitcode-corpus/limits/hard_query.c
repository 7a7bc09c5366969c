// Two factors of a number of 124 bits.
// quick
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned __int128 product = (unsigned __int128)4611686018427387847ul * 4611686018427387817ul;
    unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();
    if (x > 1 && y > x && (unsigned __int128)x * y == product) assert(0);
    return 0;
}
