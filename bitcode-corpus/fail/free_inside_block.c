// Freeing an address in the middle of a heap block.
#include <stdlib.h>

static char *volatile block;

int main(void) {
    block = malloc(16);
    free(block + 4); //~ ERROR: invalid free
    return 0;
}
