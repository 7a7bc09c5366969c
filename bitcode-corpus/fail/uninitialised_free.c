// Freeing a pointer nobody set.
#include <stdlib.h>

static char **volatile names;

int main(void) {
    names = malloc(2 * sizeof *names);
    names[0] = malloc(4);
    free(names[0]);
    free(names[1]); //~ ERROR: uninitialised memory: `free` depends on byte 8
    return 0;
}
