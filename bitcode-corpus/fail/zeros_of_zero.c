// Of 0 there is no count of leading zeros: a branch on it goes anywhere.
#include <stdio.h>

int main(void) {
    volatile unsigned none = 0;
    int zeros = __builtin_clz(none); //~ ERROR: count of the leading or trailing zeros of 0
    if (zeros == 32) //~ NOTE: a branch depends on the result here
        puts("all");
    return 0;
}
