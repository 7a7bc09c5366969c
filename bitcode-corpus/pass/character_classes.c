// The character classes of the C locale, counted over all bytes, and case mapping.
//@ cflags: -fno-builtin
//@ native
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int alpha = 0, digit = 0, space = 0, punctuation = 0, printable = 0, hex = 0;
    for (int c = 0; c < 256; c++) {
        alpha += isalpha(c) != 0;
        digit += isdigit(c) != 0;
        space += isspace(c) != 0;
        punctuation += ispunct(c) != 0;
        printable += isprint(c) != 0;
        hex += isxdigit(c) != 0;
    }
    printf("%d %d %d %d %d %d\n", alpha, digit, space, punctuation, printable, hex);
    printf("%c%c%c\n", toupper('q'), tolower('Q'), toupper('1'));
    return 0;
}
