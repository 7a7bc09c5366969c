// strtod: a text without a number is no error.
//@ cflags: -fno-builtin
//@ native
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *texts[] = {"", "x", ".", "-", "in", ".e1", "0x", "1"};
    for (int i = 0; i < 8; i++) {
        char *end;
        errno = 0;
        double value = strtod(texts[i], &end);
        printf("%g %d %d\n", value, (int)(end - texts[i]), errno);
    }
    return 0;
}
