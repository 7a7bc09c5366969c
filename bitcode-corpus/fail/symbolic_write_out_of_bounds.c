// An index that nothing bounds: the write past the table is found, whatever else it may hit.
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

static volatile int table[10];

int main(void) {
    int i;
    klee_make_symbolic(&i, sizeof i, "i");
    table[i] = 1; //~ ERROR: out of bounds
    return 0;
}
