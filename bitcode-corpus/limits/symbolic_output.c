// Symbolic bytes written to standard output without end.
#include <unistd.h>
void klee_make_symbolic(void *address, unsigned long size, const char *name);
static char block[4096];
int main(void) {
    klee_make_symbolic(block, sizeof block, "block");
    while (write(1, block, sizeof block) > 0) { }
    return 0;
}
