// Bit operations, extrema and saturation beyond 64 bits, on vectors, and atomics of 128 bits.
//@ native
//@ cflags: -O2 -mcx16
#include <stdatomic.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;
typedef int v4 __attribute__((vector_size(16)));

static void show(const char *what, u128 value) {
    printf("%s %llx %llx\n", what, (unsigned long long)(value >> 64), (unsigned long long)value);
}

int main(void) {
    volatile u128 source = ((u128)0x00f0aabbccddee11 << 64) | 0x8000000000000100;
    u128 x = source;
    printf("%d %d\n", __builtin_popcountg(x), __builtin_clzg(x));
    printf("%d %d\n", __builtin_ctzg(x), __builtin_ctzg(x & ~(u128)0xffffffffffffffff));
    show("reversed", __builtin_bitreverse64((unsigned long long)x));
    volatile i128 negative = -(i128)x;
    i128 y = negative;
    show("absolute", (u128)(y < 0 ? -y : y));
    show("least", (u128)__builtin_elementwise_min(y, (i128)5));
    show("most", __builtin_elementwise_max(x, (u128)5));
    show("saturated", __builtin_elementwise_add_sat(x, ~(u128)5));
    volatile i128 deep = -((i128)1 << 126);
    show("signed", (u128)__builtin_elementwise_sub_sat(deep, (i128)3 << 125));
    unsigned _BitInt(200) wide = (unsigned _BitInt(200))x << 70 | 9;
    printf("%d %d\n", __builtin_popcountg(wide), __builtin_clzg(wide));
    v4 a = {1, -2, 3, 2147483647}, b = {5, 6, -7, 1};
    v4 c = __builtin_elementwise_add_sat(a, b);
    printf("%d %d %d %d %d\n", c[0], c[1], c[2], c[3], __builtin_reduce_max(a));
    _Atomic u128 shared = 1;
    u128 expected = 1;
    printf("%d", atomic_compare_exchange_strong(&shared, &expected, x));
    printf(" %d\n", atomic_compare_exchange_strong(&shared, &expected, 7));
    show("found", expected);
    show("old", __sync_fetch_and_add((u128 *)&shared, 1));
    show("now", atomic_load(&shared));
    return 0;
}
