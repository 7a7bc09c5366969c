// A shift by the width of its operand or more has no result, of 128 bits as of fewer.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

static volatile int distance = 130;

int main(void) {
    unsigned __int128 one = 1;
    if (one << distance) //~ ERROR: shift by the width
        puts("some");
    return 0;
}
