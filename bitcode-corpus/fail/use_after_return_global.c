// A global keeps the address of a variable of a function that has returned.
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

static int *kept;

static void keep(void) {
    int local = 5; //~ NOTE: allocated here
    kept = &local;
}

int main(void) {
    keep();
    printf("%d\n", *kept); //~ ERROR: use after return: read of 4 bytes in `local` of `keep`
    return 0;
}
