// Reading at an address where nothing was ever allocated.
#include <stdint.h>
#include <stdio.h>

static volatile uintptr_t address = 0x123456789000;

int main(void) {
    int *p = (int *)address;
    printf("%d\n", *p); //~ ERROR: wild pointer
    return 0;
}
