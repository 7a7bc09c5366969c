// Counting and reversing bits and bytes.
//@ native
#include <stdio.h>

int main(void) {
    volatile unsigned u = 0x00f01200;
    volatile unsigned long w = 0x0123456789abcdef;
    printf("%d %d %d %d\n", __builtin_popcount(u), __builtin_clz(u), __builtin_ctz(u), __builtin_ffs(0));
    printf("%d %d\n", __builtin_popcountl(w), __builtin_parityl(w));
    printf("%x %lx %x\n", __builtin_bswap32(u), __builtin_bswap64(w), __builtin_bitreverse32(u));
    printf("%x\n", __builtin_rotateleft32(u, 12));
    return 0;
}
