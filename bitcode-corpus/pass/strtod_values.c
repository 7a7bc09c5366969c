// strtod: decimal, exponent, hexadecimal, infinity, and the end pointer.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *end;
    printf("%.3f\n", strtod("3.25rest", &end));
    printf("%s\n", end);
    printf("%g %g %g\n", strtod("-1e3", NULL), strtod("0x1p4", NULL), strtod("inf", NULL));
    printf("%.17g\n", strtod("0.1", NULL));
    printf("%g\n", atof("2.5e-3"));
    return 0;
}
