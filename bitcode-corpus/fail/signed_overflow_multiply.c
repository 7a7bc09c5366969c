// A product of two longs that no long holds, in the turn of a loop in which that happens first.
#include <stdio.h>

static volatile int turns = 30;

int main(void) {
    long factorial = 1;
    for (long turn = 1; turn <= turns; turn++) {
        factorial *= turn; //~ ERROR: signed overflow
    }
    printf("%ld\n", factorial);
    return 0;
}
