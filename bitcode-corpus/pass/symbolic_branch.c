// A branch on a symbolic integer is explored both ways.
//@ outcomes: negative positive zero
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x < 0)
        puts("negative");
    else if (x > 0)
        puts("positive");
    else
        puts("zero");
    return 0;
}
