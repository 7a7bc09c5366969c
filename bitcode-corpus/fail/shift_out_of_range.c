// A shift by the width.
#include <stdio.h>

static volatile unsigned value = 5, distance = 32;

int main(void) {
    if (value << distance) //~ ERROR: shift by the width
        puts("shifted");
    return 0;
}
