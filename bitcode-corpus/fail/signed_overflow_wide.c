// Integers of 128 bits keep the promises of narrower ones: for some inputs a sum does not fit.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    __int128 most = (__int128)(((unsigned __int128)1 << 127) - 1);
    int by = __VERIFIER_nondet_int();
    if (by < -3 || by > 3)
        return 0;
    if (most + by < 0) //~ ERROR: signed overflow
        puts("negative");
    return 0;
}
