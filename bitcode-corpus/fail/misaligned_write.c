// A word written into the middle of another one.
#include <stdint.h>
#include <stdio.h>

static uint64_t words[2];
static volatile int shift = 2;

int main(void) {
    uint64_t *word = (uint64_t *)((char *)words + shift);
    *word = 7; //~ ERROR: misaligned write
    printf("%llu\n", (unsigned long long)words[0]);
    return 0;
}
