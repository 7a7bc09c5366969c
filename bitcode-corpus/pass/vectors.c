// Vector types: arithmetic, comparison, shuffles and elements.
//@ native
#include <stdio.h>

typedef int four __attribute__((vector_size(16)));

__attribute__((noinline)) static four mix(four a, four b) {
    four larger = a > b;
    return (a & larger) | (b & ~larger);
}

int main(void) {
    four a = {1, 20, 3, 40};
    four b = {10, 2, 30, 4};
    four m = mix(a, b) + a * b;
    four s = __builtin_shufflevector(a, b, 0, 4, 3, 7);
    printf("%d %d %d %d\n", m[0], m[1], m[2], m[3]);
    printf("%d %d %d %d\n", s[0], s[1], s[2], s[3]);
    return 0;
}
