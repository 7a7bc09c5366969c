// A table of a thousand numbers is read at any index by one term, in one execution.
//@ outcomes: fine
//@ executions: 1
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

static int table[1000];

int main(void) {
    for (int i = 0; i < 1000; i++)
        table[i] = i * 3 + 1;
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 1000);
    assert(table[i] == (int)i * 3 + 1);
    puts("fine");
    return 0;
}
