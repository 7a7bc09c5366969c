// Conversions between integers and floats, truncation included.
//@ native
#include <stdint.h>
#include <stdio.h>

int main(void) {
    volatile double d = -3.99;
    volatile float f = 1e9f;
    volatile uint64_t big = 0xffffffffffffff00;
    volatile int64_t odd = (1L << 53) + 1;
    printf("%d %ld %u\n", (int)d, (long)f, (unsigned)3.99);
    printf("%.0f %.0f %.0f\n", (double)big, (double)odd, (double)(float)odd);
    printf("%lu %.1f\n", (uint64_t)1e19, (float)d);
    return 0;
}
