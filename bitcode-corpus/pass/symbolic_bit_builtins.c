// Integer builtins of a symbolic value are terms: one path says what holds for all values.
//@ cflags: -O1
//@ outcomes: proved
//@ executions: 1
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

typedef int32_t lanes __attribute__((vector_size(16)));

static uint32_t swapped(uint32_t value, uint32_t mask, int distance) {
    return (value & mask) << distance | (value >> distance & mask);
}

int main(void) {
    uint32_t x, y;
    uint64_t w;
    lanes v;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_make_symbolic(&w, sizeof w, "w");
    klee_make_symbolic(&v, sizeof v, "v");
    int32_t a = (int32_t)x, b = (int32_t)y;

    // Counts of zeros: behind them stands the first bit that is set.
    int leading = __builtin_clzg(x, 32), trailing = __builtin_ctzg(x, 32), far = __builtin_clzg(w, 64);
    assert((leading == 32) == (x == 0) & (trailing == 32) == (x == 0) & (far == 64) == (w == 0));
    assert((x == 0) | (x >> (31 - leading & 31) == 1));
    assert((x == 0) | (x << (31 - trailing & 31) == 0x80000000));
    assert((w == 0) | (w >> (63 - far & 63) == 1));
    assert(__builtin_ffs(a) == (trailing + 1) * (x != 0));

    // Bits and bytes.
    uint32_t reversed = swapped(swapped(swapped(x, 0x55555555, 1), 0x33333333, 2), 0x0f0f0f0f, 4);
    reversed = swapped(swapped(reversed, 0x00ff00ff, 8), 0x0000ffff, 16);
    assert(__builtin_bitreverse32(x) == reversed);
    assert(__builtin_bswap32(__builtin_bswap32(x) ^ y) == (x ^ __builtin_bswap32(y)));
    assert(__builtin_popcount(x) + __builtin_popcount(~x) == 32);
    assert(__builtin_rotateright32(__builtin_rotateleft32(x, y), y) == x);

    // Saturation, against twice the width.
    int64_t sum = (int64_t)a + b, difference = (int64_t)a - b;
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    difference = difference > INT32_MAX ? INT32_MAX : difference < INT32_MIN ? INT32_MIN : difference;
    assert(__builtin_elementwise_add_sat(a, b) == sum);
    assert(__builtin_elementwise_sub_sat(a, b) == difference);
    assert(__builtin_elementwise_add_sat(x, y) == ((uint64_t)x + y > UINT32_MAX ? UINT32_MAX : x + y));
    assert(__builtin_elementwise_sub_sat(x, y) == (x > y ? x - y : 0));

    // Absolute values, least and greatest of a vector.
    int32_t distance = __builtin_elementwise_abs(a >> 1);
    assert((distance >= 0) & ((distance == a >> 1) | (distance == -(a >> 1))));
    int32_t least = __builtin_reduce_min(v), greatest = __builtin_reduce_max(v);
    assert(least <= v[0] & least <= v[1] & least <= v[2] & least <= v[3] & least <= greatest);
    lanes magnitudes = __builtin_elementwise_abs(v >> 1);
    assert(magnitudes[2] >= 0);
    assert(v[x & 3] <= greatest);
    puts("proved");
    return 0;
}
