// A function whose resolver chooses an implementation, called and taken the address of; features of the processor.
#include <assert.h>
#include <math.h>

static int plain(int x) {
    return x + 1;
}

static int quick(int x) {
    return x + 2;
}

static int (*resolve(void))(int) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? quick : plain;
}

int chosen(int x) __attribute__((ifunc("resolve")));

static int jump(int x) {
    __asm__ goto("" : : "r"(x) : : away);
    return x;
away:
    return -1;
}

int main(void) {
    assert(chosen(1) == 2);
    int (*volatile pointer)(int) = chosen;
    assert(pointer(5) == 6);
    assert(__builtin_cpu_supports("sse2") && !__builtin_cpu_supports("avx512f"));
    assert(jump(3) == 3);
    double whole;
    assert(modf(-2.75, &whole) == -0.75 && whole == -2);
    volatile long double x = 5.25L;
    long double part;
    assert(modfl(x, &part) == 0.25L && part == 5);
    volatile int zero = 0;
    float least = __builtin_elementwise_minimum(-0.0f * !zero, 0.0f * !zero);
    assert(signbit(least) && isnan(__builtin_elementwise_maximum((double)NAN, (double)zero)));
    return 0;
}
