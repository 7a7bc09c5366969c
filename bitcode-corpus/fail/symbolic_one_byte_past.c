// Only the last of 4096 places lies outside.
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

static volatile char table[4095];

int main(void) {
    uint16_t i;
    klee_make_symbolic(&i, sizeof i, "i");
    table[i & 4095] = 1; //~ ERROR: out of bounds
    return 0;
}
