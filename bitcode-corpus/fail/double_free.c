// Freeing a block twice.
#include <stdlib.h>

static void *volatile block;

int main(void) {
    block = malloc(16);
    free(block);
    free(block); //~ ERROR: double free
    return 0;
}
