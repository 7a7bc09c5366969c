// A plain failing assertion.
#include <assert.h>

int main(void) {
    volatile int two = 2;
    assert(two + two == 5); //~ ERROR: assertion failed
    return 0;
}
