// An argument of at most two symbolic characters behind the concrete ones: its length and text are symbolic.
//@ flags: --sym-arg 2
//@ outcomes: 0 1 2 yes
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 2 || argv[2] != NULL)
        puts("wrong");
    else if (strcmp(argv[1], "ok") == 0)
        puts("yes");
    else
        printf("%zu\n", strlen(argv[1]));
    return 0;
}
