// The control words of floating-point units, read alone and together.
//@ native
#include <stdio.h>

int main(void) {
    unsigned vectors = 0, again = 0;
    unsigned short stack = 0, also = 0;
    __asm__ __volatile__("stmxcsr %0" : "=m"(vectors));
    __asm__ __volatile__("fnstcw %0" : "=m"(stack));
    printf("%x %x\n", vectors & ~0x3fu, stack);
    __asm__ __volatile__("stmxcsr %0\n\tfstcw %1" : "=m"(again), "=m"(also));
    printf("%x %x\n", again & ~0x3fu, also);
    return 0;
}
