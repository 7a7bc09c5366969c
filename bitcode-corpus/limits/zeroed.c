// Zeroed blocks of 64 megabytes, each written to in all pages by one fill.
#include <stdlib.h>
#include <string.h>
int main(void) {
    for (;;) {
        char *block = calloc(1 << 26, 1);
        memset(block, 2, 1 << 26);
    }
}
