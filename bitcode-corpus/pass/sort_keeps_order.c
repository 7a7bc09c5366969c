// qsort and qsort_r keep the order of what compares equal; elements of odd sizes.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { int key; char name[7]; };

static int by_key(const void *a, const void *b) {
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

static int by_sign(const void *a, const void *b, void *sign) {
    return *(int *)sign * (*(const short *)a - *(const short *)b);
}

int main(void) {
    struct item items[150];
    for (int i = 0; i < 150; i++) {
        items[i].key = i * 37 % 11;
        snprintf(items[i].name, sizeof items[i].name, "n%d", i);
    }
    qsort(items, 150, sizeof *items, by_key);
    for (int i = 0; i < 150; i++)
        printf("%d%s%c", items[i].key, items[i].name, i % 15 == 14 ? '\n' : ' ');
    short numbers[] = {5, -3, 9, 0, 2, 2, -3};
    int sign = -1;
    qsort_r(numbers, 7, sizeof *numbers, by_sign, &sign);
    for (int i = 0; i < 7; i++)
        printf("%d ", numbers[i]);
    qsort(numbers, 0, 2, by_key);
    printf("\n");
    return 0;
}
