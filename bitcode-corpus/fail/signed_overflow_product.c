// A product overflows for large factors.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int width = __VERIFIER_nondet_int(), height = __VERIFIER_nondet_int();
    if (width < 0 || height < 0 || width > 50000 || height > 50000)
        return 0;
    if (width * height > 1000000) //~ ERROR: signed overflow
        puts("large");
    return 0;
}
