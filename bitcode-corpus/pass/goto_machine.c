// A state machine made of gotos, backward and out of nested loops.
//@ native
#include <stdio.h>

static int classify(const char *c) {
start:
    if (*c == ' ') {
        c++;
        goto start;
    }
    if (*c == '-') {
        c++;
        goto digits;
    }
digits:
    if (*c < '0' || *c > '9')
        goto bad;
more:
    c++;
    if (*c >= '0' && *c <= '9')
        goto more;
    if (*c == '\0')
        return 1;
bad:
    return 0;
}

int main(void) {
    printf("%d %d %d %d %d\n", classify("  12"), classify("-7"), classify("-"), classify("1a"), classify(""));
    int i, j;
    for (i = 0; i < 10; i++)
        for (j = 0; j < 10; j++)
            if (i * j == 42)
                goto found;
found:
    printf("%d %d\n", i, j);
    return 0;
}
