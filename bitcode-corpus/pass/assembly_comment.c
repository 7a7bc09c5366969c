// Inline assembly that is only a comment does nothing: programs use it to make the compiler forget what it knows.
//@ native
#include <stdio.h>

static int number;

int main(void) {
    int *plain = &number, *forgotten;
    __asm__ __volatile__("# forget that p points to const" : "=r"(forgotten) : "0"(plain));
    *forgotten = 4;
    __asm__ __volatile__("/* nothing %0 */" : : "r"(number) : "memory");
    __asm__ __volatile__("mfence # all of it\n\tpause // now" : : : "memory");
    printf("%d\n", number);
    return 0;
}
