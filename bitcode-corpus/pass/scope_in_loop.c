// A variable whose address is taken is written in every round of a loop before it is read.
//@ native
#include <stdio.h>

static void set(int *number, int value) { *number = value; }

static void (*volatile setter)(int *, int) = set;

int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int number;
        setter(&number, i);
        sum += number;
    }
    printf("%d\n", sum);
    return 0;
}
