// A function of a long is called as one of an int.
#include <stdio.h>

static long half(long number) { return number / 2; }

static void *volatile function = (void *)half;

int main(void) {
    int (*pointer)(int) = (int (*)(int))function;
    printf("%d\n", pointer(6)); //~ ERROR: argument 1 has 32 bits, its parameter 64
    return 0;
}
