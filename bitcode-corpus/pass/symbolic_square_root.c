// An equation over the input has one solution below the overflow.
//@ outcomes: 1234 none
#include <stdint.h>
#include <stdio.h>

uint16_t __VERIFIER_nondet_ushort(void);

int main(void) {
    uint32_t x = __VERIFIER_nondet_ushort();
    if (x * x == 1522756)
        printf("%d\n", x == 1234 ? 1234 : -1);
    else
        puts("none");
    return 0;
}
