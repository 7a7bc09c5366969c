/* The product of two integer matrices: address computation, loads of words, a store a cell. */
#ifndef SIDE
#define SIDE 80
#endif

static int left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

int main(void) {
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            left[row][column] = row + column;
            right[row][column] = row == column;
        }
    }
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            int sum = 0;
            for (int inner = 0; inner < SIDE; inner++) sum += left[row][inner] * right[inner][column];
            product[row][column] = sum;
        }
    }
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            if (product[row][column] != left[row][column]) return 1;
        }
    }
    return 0;
}
