// An input of 128 bits has all values.
//@ outcomes: both high low neither

#include <stdio.h>

extern unsigned __int128 __VERIFIER_nondet_uint128(void);

int main(void) {
    unsigned __int128 input = __VERIFIER_nondet_uint128();
    _Bool high = input >> 64 == 3, low = (input & 0xff) == 7;
    puts(high && low ? "both" : high ? "high" : low ? "low" : "neither");
    return 0;
}
