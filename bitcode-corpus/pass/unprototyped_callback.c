// A function whose result the caller's type drops, and one called through its own type.
//@ native
#include <stdio.h>

static int count(int by) {
    static int total;
    return total += by;
}

static void *volatile function = (void *)count;

int main(void) {
    ((void (*)(int))function)(3);
    printf("%d\n", ((int (*)(int))function)(4));
    return 0;
}
