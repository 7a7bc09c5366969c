// Complex products and quotients, with operands that are not finite.
//@ native
#include <complex.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double _Complex a = 3 + 4i, b = 1 - 2i, infinite = INFINITY + 1i, zero = 0;
    double _Complex product = a * b, quotient = a / b, far = infinite / b, near = a / infinite, by_zero = a / zero;
    printf("%g %g, %g %g\n", creal(product), cimag(product), creal(quotient), cimag(quotient));
    printf("%g, %g %g\n", fabs(creal(far)), creal(near), cimag(near));
    printf("%d\n", isinf(creal(by_zero)) || isinf(cimag(by_zero)));
    volatile float _Complex c = 1.5f + 2.5fi;
    float _Complex d = c / (2.0f + 1.0fi);
    printf("%g %g\n", crealf(d), cimagf(d));
    volatile long double _Complex e = 1e3000L + 1e3000iL;
    long double _Complex f = e / (1e2999L + 0iL);
    printf("%Lg %Lg\n", creall(f), cimagl(f));
    return 0;
}
