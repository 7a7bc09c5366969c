// Calls through pointers: tables, arguments, results and comparison.
//@ native
#include <stdio.h>

typedef int operation(int, int);

static int add(int a, int b) {
    return a + b;
}

static int subtract(int a, int b) {
    return a - b;
}

static int multiply(int a, int b) {
    return a * b;
}

static operation *const table[] = {add, subtract, multiply};

static int apply(operation *f, int a, int b) {
    return f(a, b);
}

static operation *choose(char c) {
    return c == '+' ? add : c == '-' ? subtract : multiply;
}

int main(void) {
    for (int i = 0; i < 3; i++)
        printf("%d ", apply(table[i], 9, 4));
    printf("%d %d\n", choose('-')(3, 10), choose('+') == add);
    return 0;
}
