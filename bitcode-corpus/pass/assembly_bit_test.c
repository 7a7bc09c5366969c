// bts, btr and btc, locked or not, on registers and memory; the flags of signed comparisons; the thread's own block.
//@ native
#include <stdint.h>
#include <stdio.h>

static uint64_t words[3];

#define CHANGE(name)                                                                                     \
    static int name(uint64_t *word, long bit) {                                                          \
        unsigned char before;                                                                            \
        __asm__ __volatile__("lock " #name "q %2, %0; setc %1"                                           \
                             : "+m"(*word), "=q"(before) : "r"(bit) : "memory", "cc");                   \
        return before;                                                                                   \
    }                                                                                                    \
    static uint32_t plain_##name(uint32_t word, uint32_t bit, unsigned char *before) {                   \
        __asm__(#name "l %2, %0\n\tsetc %1" : "+r"(word), "=q"(*before) : "Ir"(bit) : "cc");             \
        return word;                                                                                     \
    }

CHANGE(bts)
CHANGE(btr)
CHANGE(btc)

static int increment_is_at_most_zero(int *at) {
    unsigned char result;
    __asm__ __volatile__("lock incl %0; setle %1" : "+m"(*at), "=q"(result) : : "memory", "cc");
    return result;
}

static int less(int a, int b) {
    unsigned char result;
    __asm__("cmpl %2, %1\n\tsetl %0" : "=q"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

static int above(unsigned a, unsigned b) {
    unsigned char result;
    __asm__("cmpl %2, %1\n\tseta %0" : "=q"(result) : "r"(a), "r"(b) : "cc");
    return result;
}

int main(void) {
    volatile long bits[] = {0, 5, 63, 64, 130};
    for (int i = 0; i < 5; i++) {
        int first = bts(words, bits[i]), second = bts(words, bits[i]);
        printf("%d%d%d%d ", first, second, btc(words, bits[i] + 1), btr(words, bits[i] + 1));
    }
    // A number beyond the operand counts on from it, also backwards.
    printf("%d ", bts(words + 1, -1));
    printf("%llx %llx %llx\n", (unsigned long long)words[0], (unsigned long long)words[1],
           (unsigned long long)words[2]);
    unsigned char before;
    volatile uint32_t five = 5, far = 37;
    uint32_t word = plain_bts(0, five, &before);
    printf("%x %d ", word, before);
    word = plain_btc(word, far, &before);
    printf("%x %d ", word, before);
    word = plain_btr(0xffffffff, 31, &before);
    printf("%x %d\n", word, before);
    __asm__ __volatile__("lock notl %0" : "+m"(word) : : "memory");
    printf("%x\n", word);
    int count = -2;
    for (int i = 0; i < 3; i++) printf("%d", increment_is_at_most_zero(&count));
    int largest = 0x7fffffff;
    printf("%d\n", increment_is_at_most_zero(&largest));
    volatile int low = -0x7fffffff - 1, one = 1;
    printf("%d%d%d%d%d\n", less(low, one), less(one, low), less(one, one), above(low, one), above(one, one));
    void *block, *also;
    __asm__("movq %%fs:0, %0" : "=r"(block));
    __asm__("movq %%fs:%1, %0" : "=r"(also) : "m"(*(void **)0));
    printf("%d %d\n", block != 0, block == also && block == __builtin_thread_pointer());
    return 0;
}
