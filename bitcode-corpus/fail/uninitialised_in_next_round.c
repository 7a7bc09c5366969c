// A variable of a loop's body begins each round without a value.
#include <stdio.h>

static void set(int *number, int round) {
    if (round == 0)
        *number = 1;
}

static void (*volatile setter)(int *, int) = set;

int main(void) {
    for (int round = 0; round < 2; round++) {
        int number;
        setter(&number, round);
        if (number == 1) //~ ERROR: uninitialised memory: a branch depends on byte 0 of `number`
            puts("one");
    }
    return 0;
}
