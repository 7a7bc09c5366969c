// The bound is one too generous: only the input 10 reads past the table.
#include <stdio.h>

int __VERIFIER_nondet_int(void);

static volatile int table[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 10)
        return 0;
    if (table[i] == 7) //~ ERROR: out of bounds
        puts("seven");
    return 0;
}
