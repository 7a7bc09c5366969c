// A switch on a symbolic value explores every case and the default once.
//@ outcomes: eight other three two
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 2: puts("two"); break;
    case 3: puts("three"); break;
    case 8: puts("eight"); break;
    default: puts("other");
    }
    return 0;
}
