// Double and float arithmetic: rounding, signed zero, infinities, comparisons with NaN.
//@ native
#include <stdio.h>

int main(void) {
    volatile double a = 0.1, b = 0.2, zero = 0.0;
    volatile float f = 16777216.0f;
    printf("%.17g %d\n", a + b, a + b == 0.3);
    printf("%.1f %g %g\n", f + 1.0f, 1 / zero, 1 / -zero);
    double nan = zero / zero;
    printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, !(nan >= 1));
    printf("%g %g %.17g\n", -zero, a - a, a * b / 3);
    return 0;
}
