// A function returns its array.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

static char *name(int number) {
    char text[16];
    snprintf(text, sizeof text, "n%d", number);
    char *result = text;
    return result;
}

int main(void) {
    char *text = name(3);
    text[0] = 'm'; //~ ERROR: use after return: write of 1 byte in `text` of `name`
    return 0;
}
