// An assertion behind a chain of tests on bytes of the input.
#include <assert.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    unsigned char key[4];
    klee_make_symbolic(key, sizeof key, "key");
    if (key[0] == 'm')
        if (key[1] == key[0] + 3)
            if ((key[2] ^ key[1]) == 0x1f)
                assert(key[3] * 2 != 100); //~ ERROR: assertion failed
    return 0;
}
