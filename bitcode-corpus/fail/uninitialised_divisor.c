// A divisor nobody gave.
#include <stdlib.h>

static unsigned *volatile numbers;

int main(void) {
    numbers = malloc(2 * sizeof(unsigned));
    numbers[0] = 10;
    numbers[0] = numbers[0] / numbers[1]; //~ ERROR: uninitialised memory: a divisor depends on byte 4
    return 0;
}
