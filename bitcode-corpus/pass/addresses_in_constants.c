// Arithmetic on addresses that the compiler leaves to the linker, and some that no linker can do.
//@ cflags: -O1
//@ native
#include <stdint.h>
#include <stdio.h>

static char a[64], b[64];
volatile uintptr_t mixed, complement, negative, sum, low;
char *volatile hidden;

int main(void) {
    mixed = 1234 ^ (uintptr_t)a;
    complement = ~(uintptr_t)a;
    negative = -(uintptr_t)b;
    sum = (uintptr_t)a + (uintptr_t)b;
    low = (uint32_t)~(uintptr_t)a;
    hidden = (char *)((uintptr_t)a ^ 1) + 8;
    uintptr_t first = ~complement, second = -negative;
    printf("%d ", (mixed ^ 1234) == first && first == (uintptr_t)a);
    printf("%d ", sum - second == first && second == (uintptr_t)b);
    printf("%d ", low == (uint32_t)~first);
    printf("%d\n", ((uintptr_t)(hidden - 8) ^ 1) == first);
    return 0;
}
