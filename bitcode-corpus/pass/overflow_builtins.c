// Arithmetic that reports overflow, and wrapping of unsigned numbers.
//@ native
#include <limits.h>
#include <stdio.h>

int main(void) {
    volatile int most = INT_MAX, one = 1;
    volatile unsigned zero = 0;
    int i;
    unsigned u;
    long l;
    printf("%d ", __builtin_add_overflow(most, one, &i));
    printf("%d\n", i);
    printf("%d ", __builtin_sub_overflow(zero, 1u, &u));
    printf("%u\n", u);
    printf("%d ", __builtin_mul_overflow((long)most, 3L, &l));
    printf("%ld\n", l);
    printf("%d\n", __builtin_mul_overflow(most, 2, &i));
    printf("%u\n", zero - 1);
    return 0;
}
