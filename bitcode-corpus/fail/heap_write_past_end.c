// Writing the terminator of a string one byte past its block.
#include <stdlib.h>

static char *volatile text;
static volatile int length = 8;

int main(void) {
    text = malloc(length);
    char *p = text;
    for (int i = 0; i <= length; i++)
        p[i] = 0; //~ ERROR: out of bounds
    free(p);
    return 0;
}
