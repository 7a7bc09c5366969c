// Reading before the start of a heap block.
#include <stdio.h>
#include <stdlib.h>

static int *volatile numbers;
static volatile int index_below = -1;

int main(void) {
    numbers = calloc(4, sizeof(int));
    int *p = numbers;
    printf("%d\n", p[index_below]); //~ ERROR: out of bounds
    free(p);
    return 0;
}
