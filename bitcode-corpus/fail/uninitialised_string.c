// The length of a string whose end nobody wrote.
#include <stdlib.h>
#include <string.h>

static char *volatile text;

int main(void) {
    text = malloc(16);
    text[0] = 'a';
    text[1] = 'b';
    return strlen(text) == 7; //~ ERROR: uninitialised memory: a branch depends on byte 2 of a heap object
}
