// Functions registered with atexit run last in, first out, after main returned.
//@ native
#include <stdio.h>
#include <stdlib.h>

static void first(void) {
    printf("first\n");
}

static void second(void) {
    printf("second\n");
}

int main(void) {
    atexit(first);
    atexit(second);
    printf("main\n");
    return 4;
}
