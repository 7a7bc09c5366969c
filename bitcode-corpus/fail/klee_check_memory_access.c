// The check of an access faults like the access.
#include <klee/klee.h>

int main(void) {
    char bytes[4];
    klee_check_memory_access(bytes + 1, 4); //~ ERROR: out of bounds
    return 0;
}
