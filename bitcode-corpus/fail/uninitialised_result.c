// The same where the value comes from a function and decides a branch.
//@ cflags: -O1
#include <stdio.h>

__attribute__((weak)) int chosen(void) {
    int result;
    return result;
}

int main(void) {
    if (chosen()) //~ ERROR: uninitialised
        puts("set");
    return 0;
}
