// Functions of the mathematics library whose results are exact or correctly rounded.
//@ cflags: -fno-builtin -lm
//@ native
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double x = 7.5, y = 2.0, negative = -2.5;
    printf("%.17g %g %g\n", sqrt(y), fabs(negative), fmod(x, y));
    printf("%g %g %g %g\n", floor(negative), ceil(negative), trunc(negative), round(negative));
    printf("%.17g %g\n", fma(0.1, 0.2, 1.0), copysign(y, negative));
    int exponent;
    double whole;
    double mantissa = frexp(x, &exponent);
    printf("%g %d %g\n", mantissa, exponent, ldexp(x, 3));
    double fraction = modf(x, &whole);
    printf("%g %g %ld\n", fraction, whole, lrint(negative));
    printf("%g %g %d %d\n", fmin(x, y), fmax(x, NAN), isnan(NAN) != 0, isinf(-INFINITY) != 0);
    return 0;
}
