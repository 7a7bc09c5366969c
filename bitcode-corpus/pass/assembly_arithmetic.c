// Inline assembly that real C uses besides atomics: barriers with tied operands, wide arithmetic, the processor.
//@ native
#include <stdint.h>
#include <stdio.h>

static void product(uint64_t a, uint64_t b, uint64_t *low, uint64_t *high) {
    __asm__("mulq %3" : "=a"(*low), "=d"(*high) : "0"(a), "rm"(b) : "cc");
}

static void sum(uint64_t a[2], uint64_t b[2]) {
    __asm__("addq %2, %0\n\tadcq %3, %1" : "+r"(a[0]), "+r"(a[1]) : "r"(b[0]), "r"(b[1]) : "cc");
}

static void difference(uint64_t a[2], uint64_t b[2]) {
    __asm__("subq %2, %0; sbbq %3, %1" : "+r"(a[0]), "+r"(a[1]) : "r"(b[0]), "r"(b[1]) : "cc");
}

int main(void) {
    int x = 3, y = 4;
    __asm__("" : "=r"(x), "=r"(y) : "0"(x), "1"(y));
    __asm__("" : "+r"(x) : "r"(y) : "memory");
    printf("%d %d\n", x, y);
    uint64_t low, high;
    product(0xfedcba9876543210, 0x123456789abcdef0, &low, &high);
    printf("%llx %llx\n", (unsigned long long)high, (unsigned long long)low);
    uint64_t a[2] = {~0ull, 1}, b[2] = {2, 5};
    sum(a, b);
    printf("%llx %llx\n", (unsigned long long)a[1], (unsigned long long)a[0]);
    difference(a, b);
    printf("%llx %llx\n", (unsigned long long)a[1], (unsigned long long)a[0]);
    uint32_t swapped = 0x11223344, turned = 0x80000001;
    __asm__("bswap %0" : "+r"(swapped));
    __asm__("roll $4, %0" : "+r"(turned) : : "cc");
    printf("%x %x\n", swapped, turned);
    uint32_t eax = 1, ebx, ecx = 0, edx;
    __asm__ __volatile__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    printf("sse2 %u\n", edx >> 26 & 1);
    uint32_t first, kept, third, fourth, name;
    __asm__("cpuid" : "=a"(first), "=b"(name), "=c"(third), "=d"(fourth) : "0"(0));
    // As <cpuid.h> has it, which leaves rbx alone and knows another syntax.
    __asm__("  xchg{q|}  {%%|}rbx,%q1\n  cpuid\n  xchg{q|}  {%%|}rbx,%q1"
            : "=a"(first), "=r"(kept), "=c"(third), "=d"(fourth) : "0"(0));
    printf("same name %d %d\n", kept == name, first > 0);
    uint32_t now, later;
    __asm__ __volatile__("rdtsc" : "=a"(now), "=d"(later));
    __asm__ __volatile__("mfence; pause" : : : "memory");
    return 0;
}
