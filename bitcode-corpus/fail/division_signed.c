// Signed division by zero.
#include <stdio.h>

static volatile int dividend = 7, divisor = 0;

int main(void) {
    printf("%d\n", dividend / divisor); //~ ERROR: division by zero
    return 0;
}
