// A block of any size, whose last bytes are missing where there are three. Sizes are tried from the least on.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned size;
    klee_make_symbolic(&size, sizeof size, "size");
    volatile char *block = malloc(size);
    if (block && size == 3)
        block[size] = 0; //~ ERROR: out of bounds: write of 1 byte
    free((char *)block);
    return 0;
}
