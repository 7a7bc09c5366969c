// The result of a function that returns nothing is tested.
#include <stdio.h>

static volatile int count;

static void step(void) { count++; }

static void *volatile function = (void *)step;

int main(void) {
    int (*pointer)(void) = (int (*)(void))function;
    if (pointer()) //~ ERROR: the function called returns nothing
        puts("yes");
    return 0;
}
