// abs, labs, div, ldiv, and random numbers from a given seed staying in range.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    div_t d = div(-17, 5);
    ldiv_t l = ldiv(17L, -5L);
    printf("%d %ld %d %d %ld %ld\n", abs(-3), labs(-4L), d.quot, d.rem, l.quot, l.rem);
    srand(1);
    int bad = 0;
    for (int i = 0; i < 10; i++) {
        int r = rand();
        bad += r < 0 || r > RAND_MAX;
    }
    printf("%d\n", bad);
    return 0;
}
