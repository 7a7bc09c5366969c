// Variadic functions of the program: every register class, the stack, va_copy, structs.
//@ native
#include <stdarg.h>
#include <stdio.h>

struct pair {
    long first;
    double second;
};

static double sum(const char *kinds, ...) {
    va_list arguments, copy;
    double total = 0;
    va_start(arguments, kinds);
    va_copy(copy, arguments);
    for (const char *k = kinds; *k; k++) {
        if (*k == 'i')
            total += va_arg(arguments, int);
        else if (*k == 'l')
            total += va_arg(arguments, long);
        else if (*k == 'd')
            total += va_arg(arguments, double);
        else {
            struct pair pair = va_arg(arguments, struct pair);
            total += pair.first + pair.second;
        }
    }
    va_end(arguments);
    total += va_arg(copy, int) * 1000;
    va_end(copy);
    return total;
}

int main(void) {
    struct pair pair = {30, 0.25};
    printf("%.2f\n", sum("ildip", 1, 2L, 0.5, 4, pair));
    printf("%.1f\n", sum("iiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%.1f\n", sum("idididididididididid", 1, .1, 1, .1, 1, .1, 1, .1, 1, .1, 1, .1, 1, .1, 1,
                         .1, 1, .1, 1, .1));
    return 0;
}
