// A switch on more bits than a word has: both halves decide.
//@ native
#include <stdio.h>

typedef unsigned __int128 wide;

static int which(wide number) {
    switch (number) {
    case 7:
        return 1;
    case ((wide)7 << 64) + 7:
        return 2;
    case (wide)1 << 100:
        return 3;
    default:
        return 0;
    }
}

int main(void) {
    volatile wide numbers[] = {7, ((wide)7 << 64) + 7, (wide)1 << 100, (wide)7 << 64, 0, ((wide)1 << 64) + 7};
    for (int i = 0; i < 6; i++)
        printf("%d", which(numbers[i]));
    return 0;
}
