// Logical and arithmetic shifts at every width, rotates and sign extension.
//@ native
#include <stdint.h>
#include <stdio.h>

int main(void) {
    volatile int32_t s = -1000;
    volatile uint32_t u = 0x80000001;
    volatile int64_t w = INT64_MIN;
    volatile int by = 5;
    printf("%d %d %x %x\n", s >> by, s * (1 << by), u >> by, u << by);
    printf("%lx %lx\n", (uint64_t)(w >> 63), (uint64_t)w >> 63);
    printf("%x %x\n", u << by | u >> (32 - by), u >> by | u << (32 - by));
    volatile uint8_t byte = 0xf0;
    printf("%d %d %d\n", (int8_t)byte, byte, (int)(int16_t)(byte << 8));
    return 0;
}
