// One copy after the other of a quarter of a gigabyte.
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *from = malloc(1 << 28), *to = malloc(1 << 28);
    memset(from, 1, 1 << 28);
    for (;;) memcpy(to, from, 1 << 28);
}
