// 128-bit integers: carry, multiplication, division, shifts and comparison.
//@ native
#include <stdio.h>

static void show(unsigned __int128 n) {
    printf("%016lx%016lx\n", (unsigned long)(n >> 64), (unsigned long)n);
}

int main(void) {
    volatile unsigned long big = ~0ul;
    unsigned __int128 product = (unsigned __int128)big * big;
    show(product);
    show(product + big + big + 1);
    show(product / 10);
    show(product % 1000000007u);
    show(product >> 37 << 5);
    volatile long negative = -123456789;
    __int128 wide = (__int128)negative * 1000000000000;
    show(wide);
    show(wide / 77);
    show(wide % 77);
    printf("%d %d\n", wide < 0, (unsigned __int128)wide > product);
    return 0;
}
