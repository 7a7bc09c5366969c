// A block that nothing points to any more when the program ends.
//@ flags: --check leak
#include <stdlib.h>

static int *volatile numbers;

int main(void) {
    numbers = malloc(4 * sizeof(int)); //~ ERROR: memory leak
    numbers[0] = 1;
    numbers = NULL;
    return 0;
}
