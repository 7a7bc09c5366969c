// Signed and unsigned division and remainder at 8, 32 and 64 bits, towards zero.
//@ native
#include <limits.h>
#include <stdio.h>

int main(void) {
    volatile long a = -1234567890123456789, b = 987654321;
    volatile unsigned long u = 0xfedcba9876543210, v = 12345;
    volatile int i = INT_MIN, j = 10;
    volatile signed char c = -128, d = 7;
    printf("%ld %ld %ld %ld\n", a / b, a % b, a / -b, a % -b);
    printf("%lu %lu\n", u / v, u % v);
    printf("%d %d %u %u\n", i / j, i % j, (unsigned)i / 10u, (unsigned)i % 10u);
    printf("%d %d\n", c / d, c % d);
    return 0;
}
