// A function of a long is called by its name as one of an int, whose upper half holds any value.
#include <stdio.h>

void take(long number) { printf("%ld\n", number); }

void take_as_int(int number) __asm__("take");

int main(void) {
    take_as_int(-1); //~ ERROR: argument 1 has 32 bits, its parameter 64
    return 0;
}
