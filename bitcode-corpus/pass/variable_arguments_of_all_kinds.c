// Variable arguments travel in registers and on the stack as the machine's convention says: structs of floats, of
// either kind, over-aligned ones, and more of each than there are registers.
//@ native
#include <stdarg.h>
#include <stdio.h>

struct floats { float a[3]; };
struct mixed { double a; long b; };
struct aligned { long a, b; } __attribute__((aligned(16)));
struct large { long a[4]; };

static void show(int skipped, ...) {
    va_list list;
    va_start(list, skipped);
    for (int i = 0; i < skipped; i++)
        printf("%d ", va_arg(list, int));
    struct floats floats = va_arg(list, struct floats);
    struct mixed mixed = va_arg(list, struct mixed);
    struct aligned aligned = va_arg(list, struct aligned);
    __int128 wide = va_arg(list, __int128);
    struct large large = va_arg(list, struct large);
    long double extended = va_arg(list, long double);
    printf("%g %g %g, %g %ld, %ld %ld, %lld, %ld %ld, %Lg", floats.a[0], floats.a[1], floats.a[2], mixed.a, mixed.b,
           aligned.a, aligned.b, (long long)wide, large.a[0], large.a[3], extended);
    for (int i = 0; i < 9; i++)
        printf(" %g", va_arg(list, double));
    printf(" %d\n", va_arg(list, int));
    va_end(list);
}

int main(void) {
    struct floats f = {{1.5f, 2.5f, 3.5f}};
    struct mixed m = {4.5, 5};
    struct aligned a = {6, 7};
    struct large l = {{9, 10, 11, 12}};
    __int128 w = 8;
    show(0, f, m, a, w, l, 13.5L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    show(1, 1, f, m, a, w, l, 13.5L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    show(2, 1, 2, f, m, a, w, l, 13.5L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    show(3, 1, 2, 3, f, m, a, w, l, 13.5L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    show(4, 1, 2, 3, 4, f, m, a, w, l, 13.5L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    return 0;
}
