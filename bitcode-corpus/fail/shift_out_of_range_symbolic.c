// A shift by the width of the type, for one input.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned amount = __VERIFIER_nondet_uchar();
    if (amount > 32)
        return 0;
    if ((1u << amount) == 8) //~ ERROR: shift by the width
        puts("eight");
    return 0;
}
