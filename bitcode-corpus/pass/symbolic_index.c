// Reading a table at a symbolic index yields every element and nothing else.
//@ outcomes: large small
#include <stdio.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int main(void) {
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 8);
    int value = table[i];
    if (value > 9 || value < 1)
        puts("impossible");
    else if (value > 4)
        puts("large");
    else
        puts("small");
    return 0;
}
