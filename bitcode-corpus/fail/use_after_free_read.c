// Reading a block after it was freed.
#include <stdio.h>
#include <stdlib.h>

static int *volatile number;

int main(void) {
    number = malloc(sizeof(int));
    *number = 5;
    free(number);
    int *p = number;
    printf("%d\n", *p); //~ ERROR: use after free
    return 0;
}
