// A large array sorted by a function of the program's.
#include <stdlib.h>
static int order(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }
int main(void) {
    int count = 1 << 22;
    int *numbers = malloc(count * sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = (i * 7919) % count;
    qsort(numbers, count, sizeof *numbers, order);
    return numbers[0];
}
