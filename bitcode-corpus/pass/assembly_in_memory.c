// An input tied to an output that the compiler keeps in memory is stored there, cut to the output's size.
//@ cflags: -O0
//@ native
#include <stdint.h>
#include <stdio.h>

int main(void) {
    uint32_t word;
    uint64_t wide = 0x1122334455667788, same;
    __asm__("" : "=g"(word) : "0"(wide));
    __asm__("" : "=rm"(same) : "0"(wide));
    printf("%x %llx\n", word, (unsigned long long)same);
    return 0;
}
