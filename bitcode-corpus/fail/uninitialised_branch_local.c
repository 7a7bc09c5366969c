// A variable that only one way assigns is tested on the other.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

static volatile int size = 2;

int main(void) {
    int found; //~ NOTE: allocated here
    if (size > 3)
        found = 1;
    if (found == 1) //~ ERROR: uninitialised memory: a branch depends on byte 0 of `found`
        puts("one");
    return 0;
}
