// A store at a symbolic index changes exactly that element.
//@ outcomes: fine
#include <assert.h>
#include <stdio.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int main(void) {
    int table[4] = {0};
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 4);
    table[i] = 7;
    assert(table[i] == 7);
    assert(table[0] + table[1] + table[2] + table[3] == 7);
    puts("fine");
    return 0;
}
