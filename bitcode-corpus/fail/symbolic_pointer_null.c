// The last entry of a table of pointers is null, and the search may end there.
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

static int one, two;
static int *const all[3] = {&one, &two, 0};

int main(void) {
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 3);
    *all[i] = 1; //~ ERROR: null pointer
    return 0;
}
