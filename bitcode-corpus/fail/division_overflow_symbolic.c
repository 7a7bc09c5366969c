// The least number divided by -1.
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y == 0 || y > 1)
        return 0;
    if (x / y == 3) //~ ERROR: division overflows
        puts("three");
    return 0;
}
