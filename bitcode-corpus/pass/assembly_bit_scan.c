// bsf and bsr find the lowest and highest bit set; of zero they say so by a flag and leave the destination alone.
//@ native
#include <stdint.h>
#include <stdio.h>

static uint64_t lowest(uint64_t x) {
    uint64_t position;
    __asm__("bsfq %1, %0" : "=r"(position) : "rm"(x) : "cc");
    return position;
}

static uint32_t highest(uint32_t x) {
    uint32_t position;
    __asm__("bsr\t%1, %0" : "=r"(position) : "rm"(x) : "cc");
    return position;
}

static int or_else(uint64_t x, int other) {
    uint64_t position = 0;
    unsigned char none;
    __asm__("bsfq %2, %0\n\tsete %1" : "+r"(position), "=q"(none) : "r"(x) : "cc");
    return none ? other : (int)position;
}

int main(void) {
    volatile uint64_t words[] = {1, 0x8000000000000000, 0xf0, 0x123456000};
    for (int i = 0; i < 4; i++)
        printf("%d %d\n", (int)lowest(words[i]), (int)highest((uint32_t)words[i] | 1));
    volatile uint64_t nothing = 0;
    printf("%d %d\n", or_else(nothing, -1), or_else(words[2], -1));
}
