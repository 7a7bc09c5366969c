// One copy of three gigabytes.
// quick
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t size = 3ul << 30;
    char *from = malloc(size), *to = malloc(size);
    memset(from, 1, size);
    memcpy(to, from, size);
    return to[size - 1] - 1;
}
