// Unions: reinterpretation of bytes, and overlapping members.
//@ native
#include <stdint.h>
#include <stdio.h>

union value {
    float f;
    uint32_t bits;
    unsigned char bytes[4];
    struct {
        uint16_t low, high;
    };
};

int main(void) {
    union value v = {.f = 1.5f};
    printf("%08x %02x %04x\n", v.bits, v.bytes[3], v.high);
    v.bytes[3] = 0xc0;
    printf("%.2f\n", v.f);
    v.bits = 0x00000001;
    printf("%d %d\n", v.low, v.f > 0);
    return 0;
}
