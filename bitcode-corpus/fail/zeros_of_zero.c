// Of 0 there is no count of leading zeros: an index made of it is any.
#include <stdio.h>

static volatile int table[33];

int main(void) {
    volatile unsigned none = 0;
    int zeros = __builtin_clz(none); //~ ERROR: count of the leading or trailing zeros of 0
    printf("%d\n", table[zeros]); //~ NOTE: an address depends on the result here
    return 0;
}
