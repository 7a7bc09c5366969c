// Blocks of two gigabytes that nobody writes to.
#include <stdlib.h>
int main(void) {
    volatile char *last = NULL;
    for (;;) {
        char *block = malloc(1u << 31);
        if (block == NULL) return last == NULL;
        last = block;
    }
}
