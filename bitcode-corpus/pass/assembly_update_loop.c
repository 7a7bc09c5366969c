// A loop in inline assembly that tries an update until it holds is one atomic update (Boost.Atomic's).
//@ native
#include <assert.h>
#include <pthread.h>

#define TRIED(name, type, wide, op, accumulator, new, exchange)                                   \
    static type name(type *at, type by) {                                                         \
        type found = *(volatile type *)at;                                                        \
        wide changed;                                                                             \
        __asm__ __volatile__(".align 16\n\t"                                                      \
                             "1: mov %[by], %[changed]\n\t" op " %%" accumulator ", %" new        \
                             "[changed]\n\tlock; " exchange " %" new "[changed], %[at]\n\tjne 1b" \
                             : "+a"(found), [at] "+m"(*at), [changed] "=&q"(changed)              \
                             : [by] "ir"((wide)by)                                                \
                             : "cc", "memory");                                                   \
        return found;                                                                             \
    }

TRIED(or_byte, unsigned char, unsigned, "orb", "al", "b", "cmpxchgb")
TRIED(or_word, unsigned, unsigned, "orl", "eax", "", "cmpxchgl")
TRIED(and_long, unsigned long, unsigned long, "andq", "rax", "", "cmpxchgq")
TRIED(xor_word, unsigned, unsigned, "xorl", "eax", "", "cmpxchgl")

static unsigned char byte;
static unsigned word;
static unsigned long wide = ~0ul;

static void *work(void *bit) {
    unsigned mine = bit ? 1 : 2;
    or_byte(&byte, (unsigned char)mine);
    or_word(&word, mine);
    and_long(&wide, ~(unsigned long)mine);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, &thread);
    work(0);
    pthread_join(thread, 0);
    assert(byte == 3 && word == 3 && wide == ~3ul);
    assert(xor_word(&word, 5) == 3 && word == 6);
    assert(or_byte(&byte, 0x80) == 3 && byte == 0x83);

    // Registers that are not operands, and memory behind a pointer.
    long pair[2] = {7, 8}, sum;
    __asm__("movq 8(%1), %%r9\n\tmovq (%1), %0\n\taddq %%r9, %0"
            : "=&r"(sum)
            : "r"(pair)
            : "r9", "memory", "cc");
    assert(sum == 15);
    return 0;
}
