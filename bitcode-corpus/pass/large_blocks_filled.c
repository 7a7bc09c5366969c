// Filling a block takes no memory for each byte: its pages are shared until they are written.
//@ flags: --max-memory 400
//@ outcomes: 5,1,0,1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    size_t size = (size_t)800 << 20;
    unsigned char *block = malloc(size);
    memset(block, 1, size);
    block[77] = 5;
    for (int start = 0; start < 6; start++)
        memset(block + start, start, size - 10);
    printf("%d,%d,%d,%d\n", block[77], block[size - 1], block[0], block[size - 5]);
    free(block);
    return 0;
}
