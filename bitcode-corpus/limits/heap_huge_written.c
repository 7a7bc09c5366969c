// Blocks of two gigabytes, of each of which one byte is written.
#include <stdlib.h>
int main(void) {
    volatile char *last = NULL;
    for (;;) {
        volatile char *block = malloc(1u << 31);
        if (block == NULL) return last == NULL;
        block[1 << 30] = 1;
        last = block;
    }
}
