// A block of symbolic size: one execution a size, and one for all sizes that no memory is enough for.
//@ cflags: -fno-builtin
//@ outcomes: 1 2 3 none
//@ executions: 4
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    size_t n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume((n >= 1) & ((n <= 3) | (n > (size_t)1 << 40)));
    char *block = malloc(n);
    if (!block) {
        puts("none");
        return 0;
    }
    block[n - 1] = 1;
    printf("%d\n", (int)n);
    free(block);
    return 0;
}
