// An environment that grows without bound.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    for (int number = 0;; number++) {
        char name[32] = "";
        snprintf(name, sizeof name, "NAME_%d", number);
        if (setenv(name, "a value", 1) != 0) return 0;
    }
}
