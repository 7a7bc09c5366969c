// Recursion with an array of a size that is not known before.
#include <string.h>
static int deeper(unsigned size) {
    volatile char here[size];
    memset((char *)here, 1, size);
    return here[0] + deeper(size + 16) + here[size - 1];
}
int main(void) { return deeper(1 << 16); }
