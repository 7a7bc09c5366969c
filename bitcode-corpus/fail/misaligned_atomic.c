// An atomic counter where none can be.
#include <stdatomic.h>
#include <stdio.h>

static _Alignas(8) char bytes[16];
static volatile int shift = 2;

int main(void) {
    atomic_int *counter = (atomic_int *)(bytes + shift);
    printf("%d\n", atomic_fetch_add(counter, 1)); //~ ERROR: misaligned write
    return 0;
}
