// A loop bound that depends on the input: one path a number of turns.
//@ outcomes: 0 1 3 6
#include <stdio.h>

unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int condition);

int main(void) {
    unsigned char n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= 3);
    volatile int sum = 0; // keeps the compiler from computing it without a loop
    for (int i = 1; i <= n; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
