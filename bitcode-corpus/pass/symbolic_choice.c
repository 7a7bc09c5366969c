// A choice between constants is a value, not a fork; so is one between structures.
//@ cflags: -O2
//@ outcomes: fine
//@ executions: 1
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

static volatile unsigned char bytes[8];

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    int chosen = x > 5 ? 10 : 20;
    _Bool flag = x > 7 ? 1 : x == 3;
    volatile long sum = chosen + (x < 0 ? 1L << 40 : -1);
    bytes[x & 7] = x & 1 ? 200 : 100;
    assert(sum == (x > 5 ? 9 : x < 0 ? (1L << 40) + 20 : 19));
    assert(flag == ((x > 7) | (x == 3)));
    assert((bytes[x & 7] == 200) == (x & 1));
    puts("fine");
    return 0;
}
