// A block of 64 megabytes that is made symbolic at once.
// quick
#include <stdlib.h>
void klee_make_symbolic(void *address, size_t size, const char *name);
int main(void) {
    char *block = malloc(1 << 26);
    klee_make_symbolic(block, 1 << 26, "block");
    return block[7] == 7;
}
