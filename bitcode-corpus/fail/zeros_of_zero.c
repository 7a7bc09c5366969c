// Of 0 there is no count of leading zeros: a branch on it goes anywhere.
#include <stdio.h>

int main(void) {
    volatile unsigned none = 0;
    int zeros = __builtin_clz(none);
    if (zeros == 32) //~ ERROR: count of the leading or trailing zeros of 0
        puts("all");
    return 0;
}
