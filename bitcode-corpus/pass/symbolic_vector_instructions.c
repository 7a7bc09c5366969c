// Vector instructions on symbolic bytes are terms, as arithmetic is: one path says what holds for all values.
//@ cflags: -O0
//@ outcomes: proved
//@ executions: 1
#include <assert.h>
#include <emmintrin.h>
#include <stdio.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    unsigned char group[16];
    klee_make_symbolic(group, sizeof group, "group");
    __m128i loaded = _mm_loadu_si128((const __m128i *)group);
    int found = _mm_movemask_epi8(_mm_cmpeq_epi8(loaded, _mm_set1_epi8(7)));
    int signs = _mm_movemask_epi8(loaded), expected = 0, negative = 0;
    for (int index = 0; index < 16; index++) {
        expected |= (group[index] == 7) << index;
        negative |= (group[index] >> 7) << index;
    }
    assert(found == expected);
    assert(signs == negative);
    puts("proved");
    return 0;
}
