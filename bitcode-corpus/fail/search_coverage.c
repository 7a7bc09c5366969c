// An assertion behind a chain of tests on bytes of the input, sought where nothing was executed yet.
//@ flags: --search coverage
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char key[3];
    klee_make_symbolic(key, sizeof key, "key");
    volatile int depth = 0;
    if (key[0] == 'm') {
        depth = 1;
        if (key[1] == key[0] + 3) {
            depth = 2;
            if ((key[2] ^ key[1]) == 0x1f)
                assert(depth != 2); //~ ERROR: assertion failed
        }
    }
    return 0;
}
