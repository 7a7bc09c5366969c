// malloc's memory holds nothing.
#include <stdio.h>
#include <stdlib.h>

static char *volatile block;

int main(void) {
    block = malloc(10); //~ NOTE: allocated here
    block[0] = 'a';
    if (block[1] == 'b') //~ ERROR: uninitialised memory: a branch depends on byte 1 of a heap object
        puts("b");
    return 0;
}
