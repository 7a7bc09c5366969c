// Functions with variable arguments are called through declarations without parameters, as old programs do.
//@ native
//@ cflags: -std=gnu89 -Wno-everything
#include <stdarg.h>

extern int printf();

int sum(int count, ...) {
    va_list list;
    int all = 0;
    va_start(list, count);
    while (count-- > 0)
        all += va_arg(list, int);
    va_end(list);
    return all;
}

int main(void) {
    int (*add)() = (int (*)())sum;
    printf("%d %s %.1f\n", 3, "words", 2.5);
    printf("%d %d\n", add(3, 1, 2, 3), add(0));
    return 0;
}
