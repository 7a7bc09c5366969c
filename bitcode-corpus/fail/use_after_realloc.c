// Keeping a pointer into a block that realloc moved.
#include <stdio.h>
#include <stdlib.h>

static int *volatile numbers;

int main(void) {
    numbers = malloc(2 * sizeof(int));
    int *kept = numbers;
    *kept = 1;
    numbers = realloc(numbers, 4096 * sizeof(int));
    printf("%d\n", *(volatile int *)kept); //~ ERROR: use after free
    free(numbers);
    return 0;
}
