// A copy of symbolic length: one execution a length, none of them zero bytes short.
//@ cflags: -fno-builtin
//@ outcomes: 0 1 2 3 4
//@ executions: 5
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    static const char from[8] = "abcdefg";
    char to[8] = "-------";
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 4);
    __builtin_memcpy(to, from, n);
    int copied = 0;
    while (to[copied] == from[copied])
        copied++;
    printf("%d\n", copied);
    return 0;
}
