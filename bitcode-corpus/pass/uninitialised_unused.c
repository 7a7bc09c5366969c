// Values nobody gave may be moved about, masked away and multiplied by nothing.
#include <stdio.h>
#include <stdlib.h>

static unsigned *volatile block;

int main(void) {
    block = malloc(2 * sizeof(unsigned));
    unsigned moved = block[0];
    block[1] = moved;
    unsigned masked = (block[1] & 0xff00) >> 16;
    if (masked == 0)
        puts("zero");
    block[0] = (block[1] | 0xffffffff) * 2;
    if (block[0] == 0xfffffffe)
        puts("ones");
    free(block);
    return 0;
}
