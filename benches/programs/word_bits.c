/* A branch on each of the BITS lowest bits of one symbolic word: 2^BITS paths. */
#ifndef BITS
#define BITS 12
#endif

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    unsigned word;
    klee_make_symbolic(&word, sizeof word, "word");
    volatile int ones = 0;
    for (int index = 0; index < BITS; index++) {
        if (word >> index & 1) ones++;
    }
    return 0;
}
