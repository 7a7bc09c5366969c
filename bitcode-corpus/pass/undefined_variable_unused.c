// A variable nobody defines does no harm as long as nobody looks at it.
#include <stdio.h>

extern int defined_nowhere;
int *volatile where = &defined_nowhere;

int main(void) {
    printf("%d\n", where != 0);
}
