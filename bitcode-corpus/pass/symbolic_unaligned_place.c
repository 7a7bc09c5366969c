// Accesses at any byte of a buffer overlap: each byte is where the offset says.
//@ outcomes: fine
//@ executions: 1
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    unsigned char buffer[16];
    unsigned char at;
    for (int i = 0; i < 16; i++)
        buffer[i] = i;
    klee_make_symbolic(&at, sizeof at, "at");
    klee_assume(at <= 12);
    uint32_t word;
    memcpy(&word, buffer + at, 4);
    assert(word == at * 0x01010101u + 0x03020100u);
    word = 0xd4c3b2a1u;
    memcpy(buffer + at, &word, 4);
    for (int i = 0; i < 16; i++)
        assert(buffer[i] == ((unsigned)(i - at) < 4 ? word >> 8 * (i - at) & 0xff : (unsigned)i));
    puts("fine");
    return 0;
}
