// A symbolic index reaches the one element that was left out.
#include <stdio.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    volatile char table[8];
    for (int i = 0; i < 8; i++)
        if (i != 5)
            table[i] = (char)i;
    unsigned char i = __VERIFIER_nondet_uchar();
    if (i > 7)
        return 0;
    if (table[i] == 3) //~ ERROR: uninitialised memory: a branch depends on byte 5 of `table`
        puts("three");
    return 0;
}
