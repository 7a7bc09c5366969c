// Arithmetic on symbolic numbers that cannot overflow is not reported.
//@ outcomes: large small
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < -1000 || x > 1000)
        return puts("small") < 0;
    puts(x * x - 3 * x + 7 > 1000 ? "large" : "small");
    return 0;
}
