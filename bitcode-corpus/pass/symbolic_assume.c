// An assumption restricts the inputs: only the values that satisfy it are explored.
//@ outcomes: 3 4 5
#include <stdio.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 2 && x < 6);
    for (int n = 0; n < 100; n++)
        if (x == n)
            printf("%d\n", n);
    return 0;
}
