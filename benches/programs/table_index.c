/* A table of 256 entries, written and read at K symbolic indices. */
#ifndef K
#define K 4
#endif

void klee_make_symbolic(void *address, unsigned long size, const char *name);

static unsigned char table[256];

int main(void) {
    unsigned char index[K];
    klee_make_symbolic(index, sizeof index, "index");
    for (int number = 0; number < 256; number++) table[number] = (unsigned char)(number * 7 + 3);
    unsigned sum = 0;
    for (int number = 0; number < K; number++) {
        table[index[number]] ^= (unsigned char)number;
        sum += table[(unsigned char)(index[number] + 1)];
    }
    volatile int large = 0;
    if (sum > 100 * K) large = 1;
    return 0;
}
