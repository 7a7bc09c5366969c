// A switch on more bits than a word has, of an input: a path for each case, and one for all else.
//@ outcomes: 0 1 2 3
#include <stdio.h>

typedef unsigned __int128 wide;

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    wide number;
    klee_make_symbolic(&number, sizeof number, "number");
    switch (number) {
    case 7:
        puts("1");
        break;
    case ((wide)7 << 64) + 7:
        puts("2");
        break;
    case (wide)1 << 100:
        puts("3");
        break;
    default:
        puts("0");
    }
    return 0;
}
