// A block that doubles without end.
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t size = 4096;
    char *block = malloc(size);
    for (;;) {
        memset(block, 1, size);
        char *larger = realloc(block, 2 * size);
        if (larger == NULL) return 0;
        block = larger;
        size *= 2;
    }
}
