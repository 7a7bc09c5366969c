// The same where the value comes from a function and decides a branch.
//@ cflags: -O1
#include <stdio.h>

__attribute__((weak)) int chosen(void) {
    int result;
    return result; //~ ERROR: uninitialised variable
}

int main(void) {
    if (chosen()) //~ NOTE: a branch depends on the result here
        puts("set");
    return 0;
}
