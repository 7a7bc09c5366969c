// Of two blocks that a pointer may point to one is gone.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    volatile int *all[2] = {malloc(sizeof(int)), malloc(sizeof(int))};
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < 2);
    *all[0] = *all[1] = 1;
    free((void *)all[1]);
    *all[i] = 2; //~ ERROR: use after free
    free((void *)all[0]);
    return 0;
}
