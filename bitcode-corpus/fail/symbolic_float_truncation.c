// Cents cut off instead of rounded: of the two prices only one is exact enough.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    float price;
    klee_make_symbolic(&price, sizeof price, "price");
    klee_assume((price >= 0.0f) & (price <= 1000.0f));
    int cents = (int)(price * 100.0f);
    if (price == 10.25f)
        assert(cents == 1025);
    if (price == 0.53f)
        assert(cents == 53); //~ ERROR: assertion failed
    return 0;
}
