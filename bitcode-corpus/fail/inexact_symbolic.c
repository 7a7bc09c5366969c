// The distance of two pointers that are no whole number of elements apart, for some inputs.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int numbers[4] = {0};
    int offset = __VERIFIER_nondet_int();
    if (offset < 0 || offset > 8)
        return 0;
    int *later = (int *)((char *)numbers + offset);
    if (later - numbers == 1) //~ ERROR: promised to be exact
        puts("the second");
    return 0;
}
