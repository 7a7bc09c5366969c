// The program aborts itself.
#include <stdlib.h>

int main(void) {
    volatile int state = 3;
    if (state != 4)
        abort(); //~ ERROR: abort called
    return 0;
}
