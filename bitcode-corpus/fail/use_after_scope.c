// A pointer to a variable of a block that has ended.
#include <stdio.h>

static int *volatile kept;

static void keep(int *number) { kept = number; }

static void (*volatile keeper)(int *) = keep;

int main(void) {
    {
        int inner = 4;
        keeper(&inner);
    } //~ NOTE: its scope ended here
    printf("%d\n", *kept); //~ ERROR: use after scope: read of 4 bytes in `inner` of `main`
    return 0;
}
