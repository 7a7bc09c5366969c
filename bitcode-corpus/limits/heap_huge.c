// Blocks of two gigabytes that are never written.
#include <stdlib.h>
int main(void) {
    volatile char *last = NULL;
    for (;;) {
        char *block = malloc(1u << 31);
        if (block == NULL) return last == NULL;
        last = block;
    }
}
