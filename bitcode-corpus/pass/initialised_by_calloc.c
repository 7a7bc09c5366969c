// calloc, globals and static variables begin as zeros; partly written arrays keep their limits.
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int global[4];

int main(void) {
    static int local;
    int *numbers = calloc(5, sizeof *numbers);
    char *large = malloc(40000);
    memset(large, 'x', 20000);
    large[20000] = 0;
    int array[8] = {1, 2};
    printf("%d-%d-%d-%d-%zu\n", global[3], local, numbers[4], array[7], strlen(large));
    free(numbers);
    free(large);
    return 0;
}
