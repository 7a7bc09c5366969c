// A bit scan with the prefix `rep` has the bytes of tzcnt or lzcnt, and counts zeros.
//@ native
#include <stdint.h>
#include <stdio.h>

static uint64_t below(uint64_t x) {
    __asm__("rep bsf %1, %0" : "=r"(x) : "0"(x) : "cc");
    return x;
}

static uint32_t above(uint32_t x) {
    uint32_t count;
    __asm__("rep; bsrl %1, %0" : "=r"(count) : "rm"(x) : "cc");
    return count;
}

int main(void) {
    volatile uint64_t words[] = {1, 0x8000000000000000, 0xf0, 0x123456000, 0};
    for (int i = 0; i < 5; i++) printf("%d %d\n", (int)below(words[i]), (int)above((uint32_t)words[i]));
}
