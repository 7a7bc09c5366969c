// Printing a number nobody gave.
#include <stdio.h>

static void set(int *number, int really) {
    if (really)
        *number = 1;
}

static void (*volatile setter)(int *, int) = set;

int main(void) {
    int number;
    setter(&number, 0);
    printf("%d\n", number); //~ ERROR: uninitialised memory
    return 0;
}
