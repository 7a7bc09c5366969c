// Floating-point conversions of printf, rounding included.
//@ cflags: -fno-builtin
//@ native
#include <math.h>
#include <stdio.h>

int main(void) {
    printf("[%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f]\n", 3.14159265, 2.675, -1.5, 0.05, 2.5);
    printf("[%e] [%.3E] [%g] [%g] [%G]\n", 12345.678, 0.00012345, 0.0001, 1e10, 1e-10);
    printf("[%a] [%.1f] [%.1f]\n", 1.0, 0.25, 0.35);
    printf("[%f] [%f] [%5.1f]\n", INFINITY, -INFINITY, NAN);
    printf("[%.20g] [%Lf]\n", 0.1, 1.25L);
    return 0;
}
