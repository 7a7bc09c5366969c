// A symbolic pointer to one of three objects: one execution an object, and the store hits exactly that one.
//@ outcomes: 100 020 003
//@ executions: 3
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int first;

int main(void) {
    int second = 0, *third = calloc(1, sizeof *third);
    int *all[3] = {&first, &second, third};
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 3);
    *all[i] = i + 1;
    printf("%d%d%d\n", first, second, *third);
    free(third);
    return 0;
}
