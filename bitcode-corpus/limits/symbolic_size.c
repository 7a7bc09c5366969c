// A size that is an input: memory is taken for each.
#include <stdlib.h>
#include <string.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    char *block = malloc(size);
    if (block == NULL) return 0;
    memset(block, 1, size);
    return 0;
}
