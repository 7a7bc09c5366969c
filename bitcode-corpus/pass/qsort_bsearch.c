// Sorting with a comparison function of the program, and searching the result.
//@ native
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

int main(void) {
    int values[] = {42, -7, 0, 1000, 42, 13, -8};
    int count = sizeof values / sizeof values[0];
    qsort(values, count, sizeof values[0], compare);
    for (int i = 0; i < count; i++)
        printf("%d ", values[i]);
    int key = 13, missing = 14;
    int *found = bsearch(&key, values, count, sizeof values[0], compare);
    printf("\n%td %d\n", found - values, bsearch(&missing, values, count, sizeof values[0], compare) == NULL);
    return 0;
}
