// Mathematical functions report errors in errno, as math_errhandling says.
//@ outcomes: 33,33,34,34,33,33,33,33,33,34,34,33,34
//@ native
#include <errno.h>
#include <math.h>
#include <stdio.h>

static int error_of(double (*function)(double), double argument) {
    errno = 0;
    volatile double result = function(argument);
    (void)result;
    return errno;
}

static int error_of_two(double (*function)(double, double), double one, double other) {
    errno = 0;
    volatile double result = function(one, other);
    (void)result;
    return errno;
}

int main(void) {
    errno = 0;
    volatile double base = -1, result = pow(base, 0.5);
    (void)result;
    int power = errno;
    printf("%d,%d,%d,", error_of(sqrt, -1), error_of(log, -1), error_of(log, 0));
    printf("%d,%d,", error_of(exp, 1e9), power);
    printf("%d,%d,", error_of(acos, 2), error_of(asin, -2));
    printf("%d,%d,", error_of_two(fmod, 1, 0), error_of_two(remainder, INFINITY, 1));
    printf("%d,%d,%d,", error_of_two(hypot, 1e308, 1.7e308), error_of(tgamma, 0), error_of(tgamma, -2));
    printf("%d\n", error_of(tgamma, 180));
    return 0;
}
