// An int where a long is taken has zeros in its upper half, if that is forgiven.
//@ flags: --undefined widening=warn
//@ outcomes: 101
#include <stdio.h>

int is_large(long number) { return number == 0xfffffff0; }

int is_large_of_int(int number) __asm__("is_large");

int main(void) {
    volatile int negative = -16;
    printf("%d", is_large_of_int(negative)); //~ WARNING: argument 1 has 32 bits, its parameter 64
    printf("%d%d\n", is_large(-16), is_large(4294967280));
    return 0;
}
