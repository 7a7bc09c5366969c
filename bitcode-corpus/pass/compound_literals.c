// Compound literals and designated initialisers.
//@ native
#include <stdio.h>

struct point {
    int x, y, z;
};

static int total(const int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

int main(void) {
    struct point p = {.z = 3, .x = 1};
    struct point *q = &(struct point){.y = 5};
    int sparse[6] = {[4] = 40, [1] = 10};
    printf("%d %d %d %d\n", p.x, p.y, p.z, q->y);
    printf("%d %d\n", total(sparse, 6), total((int[]){1, 2, 3}, 3));
    return 0;
}
