// Accesses at symbolic places of a large table.
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned *table = malloc(4u << 20);
    for (unsigned i = 0; i < 1u << 20; i++) table[i] = i * 2654435761u;
    unsigned sum = 0;
    for (;;) {
        unsigned at = __VERIFIER_nondet_uint() % (1u << 20);
        sum += table[table[at] % (1u << 20)];
        table[at] = sum;
    }
}
