// Each bit of a symbolic word goes both ways whatever the others are; what bits say of the word together is known.
//@ executions: 256

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    unsigned word;
    klee_make_symbolic(&word, sizeof word, "word");
    volatile unsigned sum = 0;
    for (int index = 4; index < 12; index++) {
        if (word >> index & 1) sum += 1u << index;
    }
    if ((word & 0xff0) != sum) return 1;
    return 0;
}
