// Freeing an address on the stack.
#include <stdlib.h>

static void *volatile address;

int main(void) {
    int local = 1;
    address = &local;
    free(address); //~ ERROR: invalid free
    return local;
}
