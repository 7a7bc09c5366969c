// Sorting symbolic numbers has one path for each order they can be in, and sorts on every one of them.
//@ executions: 120
//@ outcomes: sorted

#include <stdio.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name);

#define COUNT 5

int main(void) {
    int numbers[COUNT];
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    for (int end = COUNT - 1; end > 0; end--) {
        for (int index = 0; index < end; index++) {
            if (numbers[index] > numbers[index + 1]) {
                volatile int kept = numbers[index];
                numbers[index] = numbers[index + 1];
                numbers[index + 1] = kept;
            }
        }
    }
    // What the path says of neighbours decides the rest: none of these branches goes two ways.
    for (int one = 0; one < COUNT; one++) {
        for (int other = one + 1; other < COUNT; other++) {
            if (numbers[one] > numbers[other]) return 1;
        }
    }
    puts("sorted");
    return 0;
}
