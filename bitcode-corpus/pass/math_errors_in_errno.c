// Mathematical functions report errors in errno, as math_errhandling says.
//@ outcomes: 33,33,34,34,33
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

int main(void) {
    errno = 0;
    volatile double base = -1, result = pow(base, 0.5);
    (void)result;
    int power = errno;
    printf("%d,%d,%d,", error_of(sqrt, -1), error_of(log, -1), error_of(log, 0));
    printf("%d,%d\n", error_of(exp, 1e9), power);
    return 0;
}
