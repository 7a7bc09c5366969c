/* 1,024 states, each of which writes one byte of an array of 1 MiB before it forks once more. */
void klee_make_symbolic(void *address, unsigned long size, const char *name);

static unsigned char array[1 << 20];

int main(void) {
    unsigned char bits[11];
    klee_make_symbolic(bits, sizeof bits, "bits");
    volatile unsigned number = 0;
    for (int index = 0; index < 10; index++) {
        number *= 2;
        if (bits[index] & 1) number++;
    }
    array[number << 10] = 1;
    if (bits[10] & 1) number++;
    return 0;
}
