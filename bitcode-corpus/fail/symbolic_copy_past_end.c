// A length that the caller chooses, checked against the wrong bound.
//@ cflags: -fno-builtin
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

char to[16];

int main(void) {
    static char from[64];
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 20)
        return 0;
    __builtin_memcpy(to, from, n); //~ ERROR: out of bounds
    return to[0];
}
