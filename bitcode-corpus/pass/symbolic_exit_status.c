// A symbolic exit status has the 256 values a status can have, not those of an int.
//@ executions: 256
#include <klee/klee.h>

int main(void) {
    return klee_int("status");
}
