// Symbolic blocks of a page without end, each copied.
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *address, size_t size, const char *name);
int main(void) {
    for (;;) {
        char *block = malloc(4096), *copy = malloc(4096);
        klee_make_symbolic(block, 4096, "block");
        memcpy(copy, block, 4096);
    }
}
