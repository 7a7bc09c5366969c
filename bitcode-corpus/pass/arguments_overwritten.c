// The arguments and the environment are one block, which a program may write over to show what it does.
//@ native
#include <stdio.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv) {
    char *end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;
    int follows = 0;
    for (char **variable = environ; *variable; variable++)
        if (*variable == end) {
            end += strlen(end) + 1;
            follows++;
        }
    // The environment moves away first, as setproctitle does it.
    static char *none[] = {0};
    environ = none;
    memset(argv[0], 'x', end - argv[0] - 1);
    printf("%d %d\n", follows > 0, argv[0][0] == 'x' && end - argv[0] > 1);
    return 0;
}
