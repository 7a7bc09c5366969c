// realloc to a size of 0 frees the block and gives null. Who takes that for a failure frees it twice.
//@ cflags: -fno-builtin
#include <stdlib.h>
#include <symx.h>

int main(void) {
    uint8_t size = symx_u8("size");
    char *volatile text = malloc(8);
    char *other = realloc(text, size);
    if (other != NULL)
        return 0;
    free(text); //~ ERROR: double free
    return 1;
}
