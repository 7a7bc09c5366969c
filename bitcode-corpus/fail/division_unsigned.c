// Unsigned 64-bit division by zero.
#include <stdio.h>

static volatile unsigned long dividend = 7, divisor = 0;

int main(void) {
    printf("%lu\n", dividend / divisor); //~ ERROR: division by zero
    return 0;
}
