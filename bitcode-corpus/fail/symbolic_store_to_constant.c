// A store somewhere into a constant table is a fault wherever it goes.
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

static const char table[4] = "abc";

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 4);
    const char *volatile place = &table[i];
    *(char *)place = 'x'; //~ ERROR: which is constant
    return 0;
}
