// A long where an int is taken loses its upper half, by name and by pointer; each such call is warned of.
//@ native
#include <stdio.h>

int is_one(int number) { return number == 1; }

int is_one_of_long(long number) __asm__("is_one");

static void *volatile by_pointer = (void *)is_one;

int main(void) {
    volatile long large = 0x100000001;
    printf("%d", is_one_of_long(large)); //~ WARNING: argument 1 has 64 bits, its parameter 32
    printf("%d", ((int (*)(long, int))by_pointer)(large, 2)); //~ WARNING: argument 1 has 64 bits, its parameter 32
    printf("%d\n", is_one(1));
    return 0;
}
