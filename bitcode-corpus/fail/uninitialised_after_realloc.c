// What realloc adds is uninitialised, what was there stays.
#include <stdio.h>
#include <stdlib.h>

static unsigned char *volatile block;

int main(void) {
    block = malloc(4);
    block[0] = 7;
    block = realloc(block, 8); //~ NOTE: allocated here
    if (block[0] == 7)
        puts("kept");
    if (block[6] == 7) //~ ERROR: uninitialised memory: a branch depends on byte 6
        puts("new");
    return 0;
}
