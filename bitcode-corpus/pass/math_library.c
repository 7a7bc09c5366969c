// The mathematical functions of double, float and long double: values that are exact or rounded the same everywhere.
//@ native
//@ cflags: -lm -fno-builtin
#define _GNU_SOURCE
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double two = 2, x = 0.7, y = -1.3, big = 1e10;
    volatile float f = 0.7f;
    volatile long double l = 0.7L;
    int exponent, quotient;
    double whole;
    printf("%.12g %.12g %.12g %.12g %.12g %.12g\n", sin(x), cos(x), tan(x), asin(x), acos(x), atan(x));
    printf("%.12g %.12g %.12g %.12g %.12g %.12g\n", sinh(x), cosh(x), tanh(x), asinh(x), acosh(two), atanh(x));
    printf("%.12g %.12g %.12g %.12g %.12g\n", exp(x), exp2(x), expm1(x), exp10(x), pow(two, x));
    printf("%.12g %.12g %.12g %.12g %.12g\n", log(x), log2(x), log10(x), log1p(x), logb(big));
    printf("%.12g %.12g %.12g %.12g %.12g\n", sqrt(two), cbrt(two), hypot(x, y), atan2(x, y), fmod(y, x));
    printf("%.12g %.12g %.12g %.12g\n", erf(x), erfc(x), tgamma(x), lgamma(x));
    printf("%.12g %.12g %.12g %.12g\n", j0(x), j1(x), y0(x), jn(3, x));
    printf("%g %g %g %g %g %g\n", ceil(y), floor(y), trunc(y), round(y), rint(y), nearbyint(2.5));
    printf("%ld %lld %ld %lld\n", lround(y), llround(2.5), lrint(2.5), llrint(3.5));
    printf("%g %d ", frexp(big, &exponent), exponent);
    printf("%g %g ", modf(y, &whole), whole);
    printf("%g %g %d\n", ldexp(x, 5), scalbn(x, -3), ilogb(big));
    printf("%g %.17g %g\n", remainder(y, x), nextafter(1, 2), fdim(x, y));
    printf("%g %d %g %g %g\n", remquo(7, 3, &quotient), quotient, fmax(x, NAN), fmin(x, y), fma(two, x, y));
    printf("%g %d %d %d\n", copysign(x, y), signbit(y) != 0, isnan(sqrt(y)), isinf(exp(big)));
    printf("%.6g %.6g %.6g %.6g %.6g %.6g\n", sinf(f), expf(f), logf(f), powf(f, 2), sqrtf(f), tanhf(f));
    printf("%.15Lg %.15Lg %.15Lg %.15Lg %.15Lg\n", sinl(l), expl(l), logl(l), powl(l, 2), sqrtl(l));
    printf("%.15Lg %.15Lg %.15Lg %Lg %Lg\n", atan2l(l, 1), cbrtl(l), hypotl(l, 1), floorl(-l), fmodl(5, l));
    double complex z = cexp(I * x) * csqrt(-1);
    printf("%.12g %.12g %.12g %.12g\n", creal(z), cimag(z), cabs(3 + 4 * I), carg(I));
    printf("%d %d\n", fegetround() == FE_TONEAREST, fesetround(FE_TONEAREST));
    printf("%g %g %g\n", roundeven(2.5), significand(8), drem(5, 3));
    return 0;
}
