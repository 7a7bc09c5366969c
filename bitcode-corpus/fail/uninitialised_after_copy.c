// Copying what nobody wrote is no fault; testing the copy is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile from;
static char *volatile to;

int main(void) {
    from = malloc(100);
    to = malloc(100);
    memset(from, 1, 50);
    memcpy(to, from, 100);
    if (to[49] == 1)
        puts("set");
    if (to[50] == 1) //~ ERROR: uninitialised memory: a branch depends on byte 50
        puts("unset");
    return 0;
}
