// Reading one element past a heap block.
#include <stdio.h>
#include <stdlib.h>

static int *volatile numbers;
static volatile int count = 4;

int main(void) {
    numbers = malloc(count * sizeof(int));
    int *p = numbers;
    for (int i = 0; i < count; i++)
        p[i] = i;
    printf("%d\n", p[count]); //~ ERROR: out of bounds
    free(p);
    return 0;
}
