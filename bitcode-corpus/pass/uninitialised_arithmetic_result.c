// A sum that overflows is no fault where nothing depends on it.
#include <stdio.h>

int __VERIFIER_nondet_int(void);

static volatile int sum;

int main(void) {
    int x = __VERIFIER_nondet_int();
    sum = x + 1;
    puts("done");
    return 0;
}
