// A number printed as wide as an `int` allows.
#include <stdio.h>
int main(void) {
    for (;;) printf("%*d", 2147483000, 1);
}
