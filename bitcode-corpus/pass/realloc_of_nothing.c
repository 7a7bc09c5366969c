// realloc and reallocarray to a size of 0 free the block; without a block they allocate.
//@ cflags: -fno-builtin
//@ flags: --check leak
//@ native
#include <stdio.h>
#include <stdlib.h>

static volatile size_t nothing;

int main(void) {
    void *fresh = realloc(NULL, nothing);
    printf("%d ", fresh != NULL);
    free(fresh);
    void *block = malloc(8);
    printf("%d ", realloc(block, nothing) != NULL);
    block = malloc(8);
    printf("%d\n", reallocarray(block, 3, nothing) != NULL);
    return 0;
}
