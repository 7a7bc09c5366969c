// Arrays of arrays and of structs; pointers into the middle, differences, comparison.
//@ native
#include <stdio.h>

struct cell {
    short row, column;
    int marks[3];
};

static struct cell grid[4][5];

int main(void) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            grid[i][j] = (struct cell){(short)i, (short)j, {i, j, i * j}};
    struct cell *middle = &grid[2][3];
    struct cell *end = grid[3] + 5;
    printf("%d %td %td %d\n", middle->marks[2], middle - &grid[0][0], end - middle, middle < end);
    printf("%d %d\n", middle[-4].row, (*(grid + 1))[4].column);
    return 0;
}
