// Integer conversions of printf: flags, widths, precisions and length modifiers.
//@ cflags: -fno-builtin
//@ native
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 7, 7, 7, 0);
    printf("[%u] [%x] [%X] [%#x] [%o] [%#o]\n", 3000000000u, 48879u, 48879u, 255u, 8u, 8u);
    printf("[%hhd] [%hd] [%ld] [%lld]\n", (char)-1, (short)-2, LONG_MIN, LLONG_MAX);
    printf("[%zu] [%jd] [%td]\n", sizeof(int), (intmax_t)-5, (ptrdiff_t)9);
    printf("[%*d] [%-*d] [%.*d]\n", 6, 1, 6, 2, 4, 3);
    return 0;
}
