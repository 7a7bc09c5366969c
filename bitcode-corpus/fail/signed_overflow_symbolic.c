// One input makes a sum overflow.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int next = x + 1; //~ ERROR: signed overflow
    printf("%s\n", next % 2 ? "odd" : "even");
    return 0;
}
