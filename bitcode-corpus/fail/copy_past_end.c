// A copy that is longer than its destination.
#include <stdlib.h>
#include <string.h>

static char *volatile target;
static volatile size_t length = 12;

int main(void) {
    target = malloc(8);
    memcpy(target, "hello world", length); //~ ERROR: out of bounds
    free(target);
    return 0;
}
