// A string is copied into an array that is too short for it.
#include <string.h>

static const char *volatile name = "abcdefgh";

int main(void) {
    volatile char text[8];
    strcpy((char *)text, name); //~ ERROR: out of bounds: write of 1 byte at offset 8 of `text`
    return text[0] == 'b';
}
