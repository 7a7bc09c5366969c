/* BITS symbolic branches one after the other, none of which decides another: 2^BITS paths. */
#ifndef BITS
#define BITS 16
#endif

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    unsigned char bits[BITS];
    klee_make_symbolic(bits, sizeof bits, "bits");
    volatile int ones = 0;
    for (int index = 0; index < BITS; index++) {
        if (bits[index] & 1) ones++;
    }
    return 0;
}
