// Arrays whose length is known only at run time, released on every turn of the loop.
//@ native
#include <stdio.h>

static int triangle(int n) {
    int rows[n][n];
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rows[i][j] = j <= i ? i + j : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += rows[i][j];
    return sum + (int)sizeof rows;
}

int main(void) {
    for (int n = 1; n < 6; n++)
        printf("%d ", triangle(n));
    printf("\n");
    return 0;
}
