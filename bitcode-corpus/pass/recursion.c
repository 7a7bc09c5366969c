// Deep and doubly recursive functions.
//@ native
#include <stdio.h>

static int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static int depth(int n) {
    volatile int here = n;
    return n == 0 ? 0 : depth(n - 1) + (here == n);
}

int main(void) {
    printf("%d %d\n", ackermann(2, 3), depth(1000));
    return 0;
}
