// Reading through a null pointer.
#include <stdio.h>

static int *volatile pointer;

int main(void) {
    int *p = pointer;
    printf("%d\n", *p); //~ ERROR: null pointer dereference
    return 0;
}
