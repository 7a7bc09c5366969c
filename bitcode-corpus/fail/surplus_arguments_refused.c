// A function called through a pointer with an argument too many, where that is an error.
//@ flags: --undefined call=error
#include <stdio.h>

static int twice(int number) { return 2 * number; }

static void *volatile function = (void *)twice;

int main(void) {
    int (*pointer)(int, int) = (int (*)(int, int))function;
    printf("%d\n", pointer(1, 2)); //~ ERROR: `twice` is called as a function of another type: 2 arguments are passed, it takes 1
    return 0;
}
