// snprintf writes what fits, terminates it, and returns what it would have written.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>

int main(void) {
    char small[6];
    int needed = snprintf(small, sizeof small, "%s-%d", "abc", 12345);
    printf("%s %d\n", small, needed);
    printf("%d\n", snprintf(NULL, 0, "%010d", 1));
    needed = sprintf(small, "%d", 99);
    printf("%s %d\n", small, needed);
    return 0;
}
