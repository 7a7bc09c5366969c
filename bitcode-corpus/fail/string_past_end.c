// A string copied into a block without room for its terminator.
#include <stdlib.h>
#include <string.h>

static char *volatile target;
static const char *volatile source = "eight by";

int main(void) {
    target = malloc(8);
    strcpy(target, source); //~ ERROR: out of bounds
    free(target);
    return 0;
}
