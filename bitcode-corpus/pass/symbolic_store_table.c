// Four stores and loads at symbolic indices into one table, without a fork: the last store to a cell counts.
//@ outcomes: fine
//@ executions: 1
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

static int table[256];

int main(void) {
    unsigned char at[4];
    klee_make_symbolic(at, sizeof at, "at");
    for (int i = 0; i < 256; i++)
        table[i] = i ^ 0x55;
    for (int k = 0; k < 4; k++)
        table[at[k]] += 1 + k;
    assert(table[at[3]] >= (at[3] ^ 0x55) + 4);
    assert((table[at[0]] == (at[0] ^ 0x55) + 10) == ((at[0] == at[1]) & (at[1] == at[2]) & (at[2] == at[3])));
    puts("fine");
    return 0;
}
