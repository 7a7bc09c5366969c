// && and || evaluate their right side only when needed; ?: only one branch.
//@ native
#include <stdio.h>

static int calls;

static int call(int value) {
    calls = calls * 10 + value + 1;
    return value;
}

int main(void) {
    int a = call(0) && call(1);
    int b = call(1) || call(0);
    int c = call(1) && call(0) ? call(1) : call(0);
    printf("%d %d %d %d\n", a, b, c, calls);
    return 0;
}
