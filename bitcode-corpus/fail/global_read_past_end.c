// Reading past a global array, although another global lies there.
#include <stdio.h>

static volatile int first[4] = {1, 2, 3, 4};
static volatile int second[4] = {5, 6, 7, 8};
static volatile int index_past = 4;

int main(void) {
    second[0] = 9;
    printf("%d\n", first[index_past]); //~ ERROR: out of bounds
    return 0;
}
