// Bit-fields: width, sign, packing, and neighbours left alone by a store.
//@ native
#include <stdio.h>

struct packed {
    unsigned a : 3;
    int b : 5;
    unsigned c : 24;
    unsigned long d : 40;
};

int main(void) {
    volatile struct packed p = {5, -3, 0xabcdef, 0};
    p.a += 4;
    p.d = ~0ul;
    p.b = 15;
    printf("%u %d %x %lx %zu\n", p.a, p.b, p.c, (unsigned long)p.d, sizeof p);
    p.b++;
    p.c <<= 4;
    printf("%u %d %x %lx\n", p.a, p.b, p.c, (unsigned long)p.d);
    return 0;
}
