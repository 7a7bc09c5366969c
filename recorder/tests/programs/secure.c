// Says whether it runs with rights that its caller does not have.
#include <sys/auxv.h>

int main(void) {
    return getauxval(AT_SECURE) ? 10 : 11;
}
