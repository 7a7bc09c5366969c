// Two blocks of a gigabyte, compared.
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t size = 1ul << 30;
    char *one = calloc(size, 1), *other = calloc(size, 1);
    for (;;)
        if (memcmp(one, other, size) != 0) return 1;
}
