// Only a large input leaves the variable without a value.
#include <stdio.h>

unsigned char __VERIFIER_nondet_uchar(void);

static void classify(unsigned char size, int *class) {
    if (size < 200)
        *class = size / 50;
}

static void (*volatile classifier)(unsigned char, int *) = classify;

int main(void) {
    int class;
    classifier(__VERIFIER_nondet_uchar(), &class);
    if (class == 2) //~ ERROR: uninitialised memory: a branch depends on byte 0 of `class`
        puts("two");
    return 0;
}
