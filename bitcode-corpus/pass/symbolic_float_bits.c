// Signs, classes and rounding of a symbolic float. NaN stays NaN whatever is added to it.
//@ outcomes: nan infinite zero finite
//@ executions: 4
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    float x;
    unsigned bits, negated;
    klee_make_symbolic(&x, sizeof x, "x");
    memcpy(&bits, &x, sizeof bits);
    float y = -x;
    memcpy(&negated, &y, sizeof negated);
    assert((bits ^ negated) == 0x80000000u);
    float sum = x + 1.0f;
    if (__builtin_isnan(x)) {
        assert(__builtin_isnan(sum));
        puts("nan");
    } else if (__builtin_isinf(x)) {
        assert(sum == x && __builtin_fabsf(x) > 3e38f);
        puts("infinite");
    } else if (x == 0) {
        assert(sum == 1 && (bits & 0x7fffffff) == 0);
        puts("zero");
    } else {
        assert(__builtin_floorf(x) <= x && x <= __builtin_ceilf(x));
        puts("finite");
    }
    return 0;
}
