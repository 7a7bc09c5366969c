// Constructors run before main in order of priority, destructors after it.
//@ native
#include <stdio.h>

static int order;

__attribute__((constructor(201))) static void late(void) {
    order = order * 10 + 2;
}

__attribute__((constructor(200))) static void early(void) {
    order = order * 10 + 1;
}

__attribute__((destructor)) static void finish(void) {
    printf("finish\n");
}

int main(void) {
    printf("%d\n", order);
    return 0;
}
