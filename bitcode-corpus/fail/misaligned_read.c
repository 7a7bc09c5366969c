// A word read at an address that is not a multiple of its alignment.
#include <stdio.h>

static char bytes[8] = "abcdefg";
static volatile int shift = 1;

int main(void) {
    int *word = (int *)(bytes + shift);
    printf("%d\n", *word); //~ ERROR: misaligned read
    return 0;
}
