/* Functions of two words, run natively and by the tests' evaluator; the results must agree. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef unsigned __int128 u128;

struct small { int a; short b; };
struct large { u64 a[5]; char c[11]; };
struct bits { unsigned x : 3; int y : 13; u64 z : 40; };

static const char *const words[] = { "zero", "one", "two", "three" };
static int table[16] = { 1, -2, 3, -4, [9] = 77 };
static struct { char tag; const int *cell; u64 (*call)(u64, u64); } linked;
static _Thread_local u64 local = 5;
static u64 twice(u64 a, u64 b) { return 2 * a + b; }

u64 test_swap(u64 a, u64 b) {
    for (unsigned i = 0; i < (a & 15); i++) { u64 t = a; a = b + i; b = t; }
    return a * 31 + b;
}
u64 test_three_cycle(u64 a, u64 b) {
    u64 c = a ^ b;
    for (unsigned i = 0; i < (b & 31); i++) { u64 t = a; a = b; b = c; c = t; }
    return a + 3 * b + 7 * c;
}
u64 test_switch(u64 a, u64 b) {
    switch ((int)(a % 23)) {
    case 0: return b; case 1: return b + 1; case 2: b++; /* fall through */
    case 3: return b * 3; case 7: return ~b; case 19: return b >> 3;
    default: break;
    }
    switch (b) { case 1000000007: return 1; case 5: return 2; case ~0ull: return 3; }
    switch ((signed char)a) { case -3: return 9; case 3: return 8; case -128: return 7; }
    return a - b;
}
u64 test_narrow(u64 a, u64 b) {
    signed char c = (signed char)a; short s = (short)b; int i = (int)(a >> 7);
    unsigned char uc = (unsigned char)b; _Bool odd = a & 1;
    return (u64)(c * s) + (u64)(i / (s | 1)) + (u64)(i % (c | 1)) + uc / 3 + odd + (u64)(i >> (uc & 31));
}
u64 test_wide(u64 a, u64 b) {
    u128 x = (u128)a << 64 | b, y = (u128)b * a + 0x123456789abcdefull;
    __int128 z = (__int128)x - (__int128)y;
    x ^= y >> (a & 63); y = x / (y | 1); z = z % 1000003 + (z < 0 ? -1 : (x > y));
    x += ((u128)0xfedcba9876543210ull << 64) | 0x0f1e2d3c4b5a6978ull;
    x -= ~(u128)0 / 3;
    return (u64)x ^ (u64)(x >> 64) ^ (u64)y ^ (u64)(z >> 64) ^ (u64)z;
}
u64 test_floats(u64 a, u64 b) {
    double x = (double)(int)a / 3, y = (float)(b & 0xffff) * 0.1f;
    float f = (float)a;
    double z = x < y ? x * y : x - y;
    if (z != z) return 1;
    return (u64)(int64_t)(z * 16) + (u64)(f / 1e10f) + (x >= y) + 2 * (x == y) + (u64)__builtin_fabs(y) +
           (u64)(int64_t)__builtin_elementwise_floor(x);
}
static struct large fill(u64 a, u64 b) {
    struct large l = { { a, b, a + b, a - b, a * b }, "ten chars!" };
    l.c[b % 10] = (char)a;
    return l;
}
static u64 sum(struct large l, struct small s) {
    u64 total = s.a + s.b;
    for (int i = 0; i < 5; i++) total = total * 3 + l.a[i];
    for (int i = 0; i < 11; i++) total = total * 5 + l.c[i];
    return total;
}
u64 test_structs(u64 a, u64 b) {
    struct small s = { (int)a, (short)b }, t = s;
    struct large l = fill(a, b), m;
    struct bits f = { a, b, a + b };
    m = l; m.a[a % 5] ^= b; t.b++; f.y -= 3; f.x += 2;
    return sum(m, t) ^ sum(l, s) ^ f.x ^ (u64)f.y ^ f.z;
}
u64 test_arrays(u64 a, u64 b) {
    int m[7][5], copy[7][5]; u64 n = a % 9 + 1, v[n];
    for (int i = 0; i < 7; i++) for (int j = 0; j < 5; j++) m[i][j] = (int)(a >> i) * j - (int)b;
    memcpy(copy, m, sizeof m); memset(m[2], 1, sizeof m[2]); memmove(&m[0][1], &m[0][0], 12);
    for (u64 i = 0; i < n; i++) v[i] = i * b;
    int *p = &m[3][2], *q = &m[6][4];
    u64 r = (u64)(q - p) + (u64)p[-3] + v[n - 1];
    for (int i = 0; i < 7; i++) for (int j = 0; j < 5; j++) r = r * 7 + (u64)(m[i][j] ^ copy[6 - i][j]);
    return r + words[a & 3][b % 3] + (u64)table[b & 15];
}
u64 test_pointers(u64 a, u64 b) {
    linked.cell = &table[a & 7]; linked.call = a & 1 ? twice : test_swap; linked.tag = (char)b;
    local += a; table[10] = (int)b;
    u64 r = linked.call(a & 7, b) + (u64)linked.cell[2] + (u64)linked.tag + local;
    local = 5;
    return r;
}
u64 test_bits(u64 a, u64 b) {
    unsigned r = (unsigned)b, k = a & 31;
    return (u64)__builtin_popcountll(a) + (u64)__builtin_clzll(a | 1) + (u64)__builtin_ctzll(b | 1ull << 40) +
           __builtin_bswap32(r) + __builtin_bswap64(a) + (r << k | r >> (-k & 31)) +
           (u64)__builtin_bitreverse16((uint16_t)a) + (u64)__builtin_abs((int)(a | 1));
}
u64 test_overflow(u64 a, u64 b) {
    int s, t; u64 u; unsigned w;
    int o = __builtin_add_overflow((int)a, (int)b, &s) + 2 * __builtin_mul_overflow((int)a, (int)b, &t) +
            4 * __builtin_sub_overflow(a, b, &u) + 8 * __builtin_mul_overflow((unsigned)a, (unsigned)b, &w);
    return (u64)s ^ (u64)t ^ u ^ w ^ (u64)o << 50;
}
static u64 gather(int count, ...) {
    va_list list, again; va_start(list, count); va_copy(again, list);
    u64 total = 0;
    for (int i = 0; i < count; i++) total = total * 3 + va_arg(list, u64);
    total += va_arg(again, u64); va_end(again);
    total += (u64)va_arg(list, double); total += (u64)va_arg(list, int); va_end(list);
    return total;
}
u64 test_variadic(u64 a, u64 b) { return gather(3, a, b, a ^ b, 2.5, 7); }
static u64 gather_wide(int first, ...) {
    va_list list; va_start(list, first);
    u64 total = (u64)va_arg(list, int); u128 x = va_arg(list, u128);
    struct large l = va_arg(list, struct large);
    total += (u64)x * 3 + (u64)(x >> 64) + l.a[3] + (u64)va_arg(list, int); va_end(list);
    return total;
}
u64 test_variadic_wide(u64 a, u64 b) {
    return gather_wide(1, (int)a, (u128)a << 64 | b, fill(a, b), (int)b);
}
u64 test_vector_sum(u64 a, u64 b) {
    int x[64]; unsigned char c[64];
    for (int i = 0; i < 64; i++) { x[i] = (int)(a >> (i & 31)) + i; c[i] = (unsigned char)(b >> (i & 7)); }
    int s = 0, m = -1000000; unsigned t = 0;
    for (int i = 0; i < 64; i++) { s += x[i] * c[63 - i]; m = x[i] > m ? x[i] : m; t += c[i] > 100; }
    return (u64)s + (u64)m * 3 + t;
}
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v16 __attribute__((vector_size(16)));
u64 test_vectors(u64 a, u64 b) {
    v4 x = { (int)a, (int)b, (int)(a >> 32), (int)(b >> 32) }, y = x * 3 + (v4){ 1, 2, 3, 4 };
    v4 less = x < y; v16 bytes = (v16)y; v4 z = __builtin_shufflevector(x, y, 0, 5, 2, 7);
    bytes[a & 15] = (unsigned char)b; y = (v4)bytes; z = (less & z) | (~less & y);
    return (u64)(z[0] ^ z[1] * 3 ^ z[b & 3] ^ less[2]) + bytes[b & 15];
}
u64 test_atomics(u64 a, u64 b) {
    _Atomic u64 x = a; _Atomic unsigned char c = (unsigned char)b; u64 expected = a + (b & 1);
    u64 r = atomic_fetch_add(&x, b); r ^= atomic_compare_exchange_strong(&x, &expected, b);
    atomic_store_explicit(&c, (unsigned char)r, memory_order_release); atomic_thread_fence(memory_order_seq_cst);
    return r + expected + atomic_load(&x) + atomic_exchange(&c, 3);
}
u64 test_goto(u64 a, u64 b) {
    u64 n = 0;
again:
    if (++n > 100) return n;
    if (a > b) { a -= b | 1; goto again; }
    if (a & 1) { b ^= a; a >>= 1; goto again; }
    __asm__ volatile("" : "+r"(a) : : "memory");
    __asm__ volatile("pause"); __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory");
    return a * 5 + b + n;
}
u64 test_recursion(u64 a, u64 b) { return a % 17 < 2 ? b : test_recursion(a % 17 - 1, b) + test_recursion(a % 17 - 2, a); }
