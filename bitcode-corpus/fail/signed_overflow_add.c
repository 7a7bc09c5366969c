// The largest int and one more.
#include <limits.h>
#include <stdio.h>

static volatile int large = INT_MAX, one = 1;

int main(void) {
    if (large + one > 0) //~ ERROR: signed overflow
        puts("larger");
    return 0;
}
