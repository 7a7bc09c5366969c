// Sums, products and shifts that just fit, and unsigned ones that may wrap, at each width.
//@ native
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static volatile int most = INT_MAX - 1, least = INT_MIN + 1, one = 1, thirty = 30, minus = -2;
static volatile long wide = LONG_MAX / 7;
static volatile unsigned zero = 0, all = UINT_MAX;
static volatile uint8_t byte = 125;

int main(void) {
    int up = most + one, down = least - one;
    long product = wide * 7;
    unsigned wrapped = all + (unsigned)one, under = zero - 1u;
    int shifted = one << thirty, drawn = minus >> 31;
    uint8_t twice = byte * 2;
    printf("%d %d %ld %u %u %d %d %d\n", up, down, product, wrapped, under, shifted, drawn, twice);
    return 0;
}
