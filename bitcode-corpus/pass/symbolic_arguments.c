// Groups of symbolic arguments: one to two of the first, none to one of the second group.
//@ flags: --sym-args 1 2 1 --sym-args 0 1 0
//@ outcomes: 2 3 4
#include <stdio.h>

int main(int argc, char **argv) {
    (void)argv;
    printf("%d\n", argc);
    return 0;
}
