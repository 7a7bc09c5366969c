// x87 extended precision: more digits than double, conversions both ways.
//@ native
#include <stdio.h>

int main(void) {
    volatile long double third = 1.0L / 3.0L;
    volatile double narrow = (double)third;
    printf("%.20Lf\n", third);
    printf("%d %d\n", third == narrow, (double)third == narrow);
    volatile long double big = 9007199254740993.0L;
    printf("%.0Lf %.0f\n", big, (double)big);
    printf("%ld %.1Lf\n", (long)(third * 300), (long double)7 / 2);
    printf("%zu\n", sizeof(long double));
    return 0;
}
